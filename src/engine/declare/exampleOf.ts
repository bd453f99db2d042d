import { z } from 'zod'
import { toPublicId } from '../../base/ids.ts'
import type { Operation } from './operations.ts'
import type { Resource } from './resource.ts'
import { isArray, isObjectSchema, membersOf, unwrapped } from './schemas.ts'
import { isOnDemand } from './views.ts'

export const exampleRow = ({ schema, object, idPrefix }: Resource): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(membersOf(schema)).flatMap(([name, field]) => {
      if (name === 'object') return [[name, object]]
      if (name === 'id') return [[name, exampleId(idPrefix)]]
      const example = isOnDemand(field) ? undefined : exampleValue(field)
      return example === undefined ? [] : [[name, example]]
    }),
  )

export function exampleBody({ schema, inputs, writable, required }: Resource, isNew: boolean): Record<string, unknown> {
  const changing = writable.filter(({ isCreateOnly }) => !isCreateOnly).map(({ field }) => field)
  const fields = isNew ? required : changing.slice(0, 1)
  return Object.fromEntries(
    fields.map((field) => {
      const { example, idPrefix } = (inputs[field] ?? membersOf(schema)[field])?.meta() ?? {}
      return [field, example ?? (idPrefix === undefined ? null : exampleId(idPrefix))]
    }),
  )
}

export function exampleRequest(operation: Operation): Record<string, unknown> {
  if (operation.kind === 'collection') return exampleObject(operation.rules.input)
  if (operation.kind !== 'action' && 'rules' in operation && 'input' in operation.rules && operation.rules.input)
    return exampleObject(operation.rules.input)
  if (operation.kind === 'action') return operation.input ? exampleObject(operation.input) : {}
  return exampleBody(operation.resource, operation.kind !== 'update')
}

const exampleId = (idPrefix: string): string => toPublicId(idPrefix, '01942bc1-1a80-7000-8000-000000000001')

/** Returns an example of an object other than a row, made of the examples of its members. */
export const exampleObject = (schema: z.ZodObject): Record<string, unknown> => Object(exampleValue(schema))

/** Returns an example of a value; objects are made of the examples of their members, and null stays null. */
export function exampleValue(field: z.ZodType): unknown {
  const { example, idPrefix } = field.meta() ?? {}
  if (example === undefined && idPrefix !== undefined) return exampleId(idPrefix)
  const inner = unwrapped(field)
  // Where a list must not be empty, an empty example means a list of one example element.
  if (isArray(inner) && Array.isArray(example) && !inner.safeParse(example).success && example.length === 0)
    return [exampleValue(inner.element)]
  if (inner instanceof z.ZodLiteral) return inner.value
  if (example === null || !isObjectSchema(inner)) return example
  const members = Object.entries(membersOf(inner)).map(([name, member]) => [name, exampleValue(member)] as const)
  return Object.fromEntries(members.filter(([, value]) => value !== undefined))
}
