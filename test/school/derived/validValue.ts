import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { newId } from '../../../src/base/ids.ts'
import type { Resource } from '../../../src/engine/declare/resource.ts'
import { isArray, isObjectSchema, isOptional, membersOf, unwrapped } from '../../../src/engine/declare/views.ts'

/** Returns the id of a row with this prefix, undefined if no operation creates one. */
export type Refer = (idPrefix: string) => Promise<string | undefined>

/**
 * Returns a value that a request can send, from the examples of the schema. What cannot be an example is new: rows that are referred to,
 * and e-mail addresses. Null stays null, and an empty list gets one element.
 */
export async function validValue(schema: z.ZodType, refer: Refer): Promise<unknown> {
  const { example } = schema.meta() ?? {}
  const inner = unwrapped(schema)
  if (example === null) return null
  const idPrefix = prefixOf(schema)
  if (idPrefix !== undefined) {
    const id = await refer(idPrefix)
    if (id === undefined && !isOptional(schema)) throw new Error(`no operation creates a row with the id prefix ${idPrefix}`)
    return id
  }
  if (isArray(inner) && Array.isArray(example) && example.length === 0) return [await elementOf(inner.element, refer)]
  if (inner instanceof z.ZodLiteral) return inner.value
  if (isObjectSchema(inner)) return await validObject(inner, refer)
  return typeof example === 'string' && /^\S+@\S+$/.test(example) ? `${newId()}@example.org` : example
}

/** Returns an object of valid values. Members without an example are omitted. */
export async function validObject(schema: z.ZodObject, refer: Refer): Promise<Record<string, unknown>> {
  const members: [string, unknown][] = []
  for (const [name, member] of Object.entries(membersOf(schema))) members.push([name, await validValue(member, refer)])
  return Object.fromEntries(members.filter(([, value]) => value !== undefined))
}

/** Returns an element of a list. Lists inside it stay empty. */
async function elementOf(schema: z.ZodType, refer: Refer): Promise<unknown> {
  const inner = unwrapped(schema)
  if (!isObjectSchema(inner)) return await validValue(schema, refer)
  const members = Object.entries(membersOf(inner)).filter(([, member]) => !isArray(unwrapped(member)))
  return await validObject(z.object(Object.fromEntries(members)), refer)
}

const prefixOf = (schema: z.ZodType): string | undefined => schema.meta()?.idPrefix ?? unwrapped(schema).meta()?.idPrefix

const tables = readFileSync('prisma/schema.prisma', 'utf8')

/** True if the database requires that the texts in this column are unique in the school. */
export function isUnique({ table }: Resource, column: string): boolean {
  const [model = ''] = new RegExp(`^model ${table} \\{[\\s\\S]*?^\\}`, 'm').exec(tables) ?? []
  return model.includes(`@@unique([school_id, ${column}])`)
}
