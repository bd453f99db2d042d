import type { z } from 'zod'
import type { School } from '../../base/school.ts'
import type { SchoolReader } from '../../database/connection/database.ts'
import type { ParameterValues } from '../declare/expressions.ts'
import { isObjectSchema, membersOf, unwrapped } from '../declare/views.ts'

/** A member of a field whose members vary: one column, whose heading is the label in a file for people. */
export interface Member {
  name: string
  label?: string | undefined
}

/**
 * Returns the members of a field whose members vary, in column order; undefined if the field is one column. `ownerId` is set if the list is
 * under a row.
 */
export type MembersOf = (list: {
  database: SchoolReader
  school: School
  parameters: ParameterValues
  ownerId: string | undefined
}) => Promise<readonly Member[] | undefined>

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
  members: ReadonlyMap<string, readonly Member[]> = new Map(),
): string[] {
  const all = Object.entries(membersOf(schema)).flatMap(([name, field]) => {
    const inner = unwrapped(field)
    const names = isObjectSchema(inner) ? Object.keys(inner.shape) : members.get(name)?.map((member) => member.name)
    return names ? names.map((member) => `${name}.${member}`) : [name]
  })
  if (fields === undefined) return all
  const wanted = new Set(['id', 'object', ...fields])
  return all.filter((column) => wanted.has(column) || wanted.has(column.split('.')[0] ?? ''))
}

/** Returns the headings of columns for people: labels where members have them, followed by the name of the member if others have the label. */
export function csvHeadings(columns: readonly string[], members: ReadonlyMap<string, readonly Member[]> = new Map()): string[] {
  const labels = new Map(
    [...members].flatMap(([field, list]) => list.map((member): [string, Member] => [`${field}.${member.name}`, member])),
  )
  const headings = columns.map((column) => labels.get(column)?.label ?? column)
  const uses = Map.groupBy(headings, (heading) => heading.toLowerCase())
  return headings.map((heading, place) => {
    const member = labels.get(columns[place] ?? '')
    return member?.label !== undefined && uses.get(heading.toLowerCase())?.length !== 1 ? `${heading} (${member.name})` : heading
  })
}
