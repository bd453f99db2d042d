import { z } from 'zod'
import { checkDescriptions } from './completeSchema.ts'
import type { Resource } from './resource.ts'
import { isArray, membersOf, unwrapped } from './schemas.ts'

/** @throws Error at start for what a declaration says wrong and types cannot see */
export function checkDeclaration(resource: Resource): void {
  const { name, schema, inputs, operations, sorts, writable, writers, columns, slugFrom, hasSlug, isSingleton } = resource
  for (const [field, input] of Object.entries(inputs)) {
    if (!input.meta()?.description) throw new Error(`${name}: the input ${field} has no description`)
    if (field in schema.shape) throw new Error(`${name}: the input ${field} is a field as well`)
    const isTakenByUpdates = (operations.update ?? operations.replace) !== undefined && !input.meta()?.createOnly
    if (isTakenByUpdates && !resource.currentInputs[field])
      throw new Error(`${name}: the input ${field} is neither createOnly nor has a current value in currentInputs`)
  }
  const gated = resource.gatedFields.find(
    (field) => !(schema.shape[field] instanceof z.ZodNullable || schema.shape[field] instanceof z.ZodArray),
  )
  if (gated !== undefined) throw new Error(`${name}.${gated} is gated and can be neither null nor an empty list`)
  if (resource.gatedFields.length > 0 !== (resource.ungated !== undefined))
    throw new Error(`${name} has gated fields or ungated rows alone`)
  if (operations.list && sorts.length === 0) throw new Error(`${name} can be listed and names no sort`)
  for (const { field } of writable) {
    if (!writers.has(field) && !columns.includes(field)) throw new Error(`${name}.${field} is writable, has no column and says no write`)
  }
  const names = new Set([...writable.map(({ field }) => field), ...Object.keys(inputs)])
  for (const field of resource.required) {
    if (!names.has(field)) throw new Error(`${name}.${field} is required and cannot be written`)
  }
  if (operations.create && hasSlug && slugFrom === undefined) throw new Error(`${name} has slugs and does not say what they are made of`)
  const isRemoved = typeof operations.remove === 'object' ? operations.remove.instead === undefined : operations.remove !== undefined
  if (isSingleton && (operations.create || isRemoved)) throw new Error(`${name} is one of its kind: it is neither made nor removed`)
  for (const [action, rules] of Object.entries(resource.actions)) {
    const { from, to } = rules
    if (rules.perform && (rules.run || to !== undefined)) throw new Error(`${name}: the action ${action} says twice what it does`)
    if ((from === undefined) !== (to === undefined)) throw new Error(`${name}: the action ${action} says from or to alone`)
  }
  for (const [what, { parameters }] of Object.entries({
    ...resource.reads,
    ...resource.collectionReads,
    ...resource.actions,
    ...rulesOf(operations),
  })) {
    for (const [parameter, declared] of parameters ? Object.entries(membersOf(parameters)) : []) {
      if (!declared.description) throw new Error(`${name}: the parameter ${parameter} of ${what} has no description`)
    }
  }
  for (const [what, { rows = [], output }] of Object.entries(resource.collectionReads)) {
    for (const list of rows) {
      const field = membersOf(output)[list]
      if (!field || !isArray(unwrapped(field))) throw new Error(`${name}: the answer of ${what} has no list ${list}`)
    }
  }
  for (const [what, { output }] of Object.entries({ ...resource.reads, ...resource.collectionReads, ...resource.actions })) {
    if (output) checkDescriptions(output, `${name}: the answer of ${what}`)
  }
}

const rulesOf = ({ update, replace, remove }: Resource['operations']): Record<string, { parameters?: z.ZodObject }> =>
  Object.fromEntries(
    Object.entries({ update, replace, remove }).flatMap(([name, rules]) => (typeof rules === 'object' ? [[name, rules]] : [])),
  )
