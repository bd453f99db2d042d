import type { z } from 'zod'
import type { School } from '../../base/school.ts'
import type { SchoolReader } from '../../database/connection/database.ts'
import type { ParameterValues } from '../declare/expressions.ts'
import { isObjectSchema, membersOf, unwrapped } from '../declare/views.ts'

/**
 * Returns the members of a field whose members vary, in column order; undefined if the field is one column. `ownerId` is set if the list is
 * under a row.
 */
export type MembersOf = (list: {
  database: SchoolReader
  school: School
  parameters: ParameterValues
  ownerId: string | undefined
}) => Promise<readonly string[] | undefined>

/** The columns of a field that is a list: one for each name, with the member `value` of the element whose member `key` is the name. */
export interface ElementColumns {
  names: MembersOf
  key: string
  value: string
}

/** Returns the columns of a file: the fields in order, with one column for each member of an object. `fields` limits them. */
export function csvColumns(
  schema: z.ZodObject,
  fields: readonly string[] | undefined,
  members: ReadonlyMap<string, readonly string[]> = new Map(),
): string[] {
  const all = Object.entries(membersOf(schema)).flatMap(([name, field]) => {
    const inner = unwrapped(field)
    const names = isObjectSchema(inner) ? Object.keys(inner.shape) : members.get(name)
    return names ? names.map((member) => `${name}.${member}`) : [name]
  })
  if (fields === undefined) return all
  const wanted = new Set(['id', 'object', ...fields])
  return all.filter((column) => wanted.has(column) || wanted.has(column.split('.')[0] ?? ''))
}
