import { z } from 'zod'
import { parameterName } from './filters.ts'
import type { Resource } from './resource.ts'
import { isArray, isObjectSchema, isRecord, isUnion, isWrapper, membersOf, unwrapped } from './views.ts'

/**
 * Checks what types cannot check in a declaration: when the bundle is written, and in every process that runs the sources. The bundle has no
 * checks.
 * @throws Error if the declaration contradicts itself
 */
export function checkDeclaration(resource: Resource): void {
  const { name, schema, inputs, operations, sorts, writable, writers, columns, slugFrom, hasSlug, isSingleton } = resource
  for (const [field, input] of Object.entries(inputs)) {
    if (!input.meta()?.description) throw new Error(`${name}: the input ${field} has no description`)
    if (field in schema.shape) throw new Error(`${name}: the input ${field} has the name of a field. Rename the input.`)
    const isTakenByUpdates = (operations.update ?? operations.replace) !== undefined && !input.meta()?.createOnly
    if (isTakenByUpdates && !input.meta()?.isOption && !resource.currentInputs[field])
      throw new Error(`${name}: the input ${field} must be createOnly or isOption, or have a current value in currentInputs`)
  }
  const filters = resource.filters.flatMap((filter) => filter.operators.map((operator) => parameterName(filter.name, operator)))
  for (const { name: filter, value } of resource.filters) {
    if (value.meta()?.idPrefix !== undefined && `${filter}_id` in schema.shape)
      throw new Error(`${name}: the filter ${filter} takes ids: name it after the field, ${filter}_id`)
  }
  const unknown = resource.catalogue.filters?.find((filter) => !filters.includes(filter))
  if (unknown !== undefined) throw new Error(`${name} has no filter ${unknown}: remove it from catalogue`)
  const gated = resource.gatedFields.find(
    (field) => !(schema.shape[field] instanceof z.ZodNullable || schema.shape[field] instanceof z.ZodArray),
  )
  if (gated !== undefined) throw new Error(`${name}.${gated} is gated: it must be nullable or a list that can be empty`)
  if (resource.gatedFields.length > 0 !== (resource.ungated !== undefined))
    throw new Error(`${name} must declare both gated fields and ungated rows, or neither`)
  if (operations.list && sorts.length === 0) throw new Error(`${name} can be listed: it must declare a sort`)
  for (const { field } of writable) {
    if (!writers.has(field) && !columns.includes(field))
      throw new Error(`${name}.${field} is writable and has no column: declare in derived how it is written`)
  }
  const names = new Set([...writable.map(({ field }) => field), ...Object.keys(inputs)])
  for (const field of resource.required) {
    if (!names.has(field)) throw new Error(`${name}.${field} is required: it must be writable or an input`)
  }
  const update = typeof operations.update === 'object' ? operations.update.needsIfMatch : undefined
  const unwritten = Array.isArray(update) ? update.find((member) => !names.has(member)) : undefined
  if (unwritten !== undefined) throw new Error(`${name}: needsIfMatch of update names ${unwritten}, which is not writable`)
  if (operations.create && hasSlug && slugFrom === undefined)
    throw new Error(`${name} has slugs: it must name the field for them in slugFrom`)
  const isRemoved = typeof operations.remove === 'object' ? operations.remove.instead === undefined : operations.remove !== undefined
  if (isSingleton && (operations.create || isRemoved)) throw new Error(`${name} is a singleton: it cannot be created or deleted`)
  const statuses = statusesOf(resource)
  for (const [action, rules] of Object.entries(resource.actions)) {
    const { from, to } = rules
    if (rules.perform && (rules.run || to !== undefined))
      throw new Error(`${name}: the action ${action} must declare either perform, or run and to`)
    if (to !== undefined && from === undefined) throw new Error(`${name}: the action ${action} declares to, so it must declare from`)
    const unknown = [from ?? [], to ?? []].flat().find((status) => !statuses.includes(status))
    if (unknown !== undefined) throw new Error(`${name}: the action ${action} names the status ${unknown}, which rows never have`)
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
  for (const [what, { output, pagedBy }] of Object.entries({ ...resource.reads, ...resource.collectionReads })) {
    const isList = 'data' in output.shape
    if (isList !== ('page' in output.shape && pagedBy !== undefined))
      throw new Error(`${name}: the read ${what} returns a list: declare pagedBy, and its output with listOf`)
  }
  for (const [what, { rows = [], output }] of Object.entries(resource.collectionReads)) {
    for (const list of rows) {
      if (!isListIn(output, list.split('.'))) throw new Error(`${name}: the response of ${what} has no list ${list}`)
    }
  }
  for (const [what, { output }] of Object.entries({ ...resource.reads, ...resource.collectionReads, ...resource.actions })) {
    if (output) checkDescriptions(output, `${name}: the response of ${what}`)
  }
}

function statusesOf({ schema }: Resource): readonly unknown[] {
  const { status } = membersOf(schema)
  const values = status && unwrapped(status)
  return values instanceof z.ZodEnum ? values.options : []
}

const rulesOf = ({ update, replace, remove }: Resource['operations']): Record<string, { parameters?: z.ZodObject }> =>
  Object.fromEntries(
    Object.entries({ update, replace, remove }).flatMap(([name, rules]) => (typeof rules === 'object' ? [[name, rules]] : [])),
  )

/** True if a schema has a list at this path, whose parts name lists inside each other. */
function isListIn(schema: z.ZodObject, [name = '', ...inner]: readonly string[]): boolean {
  const list = unwrapped(membersOf(schema)[name] ?? z.never())
  return isArray(list) && (inner.length === 0 || (isObjectSchema(list.element) && isListIn(list.element, inner)))
}

/**
 * Rejects a field without a description, at any depth. A method called after `.meta(…)` returns a new schema without the metadata,
 * so a missing description means that the field's view is missing too.
 */
export function checkDescriptions(schema: z.ZodType, path: string): void {
  if (isObjectSchema(schema)) {
    for (const [name, field] of Object.entries(membersOf(schema))) {
      if (!field.meta()?.description)
        throw new Error(`${path}.${name} has no description: .meta({ description }) must come last in its chain`)
      checkDescriptions(field, `${path}.${name}`)
    }
  } else if (isWrapper(schema)) {
    checkDescriptions(schema.unwrap(), path)
  } else if (isUnion(schema)) {
    for (const option of schema.options) checkDescriptions(option, path)
  } else if (isArray(schema)) {
    checkDescriptions(schema.element, path)
  } else if (schema instanceof z.ZodUnknown || schema instanceof z.ZodAny) {
    throw new Error(`${path} accepts any value: declare each member of the response`)
  } else if (isRecord(schema)) {
    checkDescriptions(schema.valueType, path)
  }
}
