import type { Expression } from 'kysely'
import { z } from 'zod'
import type { Audience } from '../../base/caller.ts'
import { beforeAllTimes } from '../../database/statements/expressions.ts'
import type { AnyRows, Condition } from './expressions.ts'
import { unwrapped } from './views.ts'

/** A sort order of a list. Ties are broken by id in the same direction, so the order is total. */
export interface Sort {
  /** The value of the parameter: `title`, `-published_at`. */
  name: string
  /** A text is sorted by the column with its place in the order of the language: `title_order`. */
  column: string
  isDescending: boolean
  /** True if the column may be null: null sorts before all times. */
  isNullable: boolean
  /** The roles that can use it. Absent: all. */
  roles?: readonly Audience[] | undefined
}

export interface Position {
  value: string | number | null
  id: string
}

/** Returns the two sorts of a field, the declared direction first. */
export function sortsOf(declared: string, field: z.ZodType, otherwise?: string): [Sort, Sort] {
  const name = declared.replace(/^-/, '')
  const isNullable = field instanceof z.ZodNullable
  const isText = unwrapped(field) instanceof z.ZodString
  if (isNullable && !(isText && otherwise !== undefined) && !(field.unwrap() instanceof z.ZodISODateTime)) {
    throw new Error(
      `sorts: ${name} can be null and is not a time. Use { field: '${name}', else: '…' } with a text that is never null and takes its place in ${name}_order, or remove it.`,
    )
  }
  const sort = isText ? { column: `${name}_order`, isNullable: false } : { column: name, isNullable }
  const ascending = { ...sort, name, isDescending: false }
  const descending = { ...sort, name: `-${name}`, isDescending: true }
  return declared.startsWith('-') ? [descending, ascending] : [ascending, descending]
}

export function sortsBy({ name, column, roles }: { name: string; column: string; roles?: readonly Audience[] }): [Sort, Sort] {
  const sort = { column, isNullable: false, roles }
  return [
    { ...sort, name, isDescending: false },
    { ...sort, name: `-${name}`, isDescending: true },
  ]
}

/** Returns the columns of a sort. Ids are UUIDv7 and sort by creation time, so `created_at` needs no second column. */
export const sortColumns = ({ column }: Sort): string[] => (column === 'created_at' ? ['id'] : [column, 'id'])

export function sortExpression(rows: AnyRows, sort: Sort, column: string): Expression<unknown> {
  return column === sort.column && sort.isNullable ? rows.fn.coalesce(rows.ref(column), beforeAllTimes) : rows.ref(column)
}

/**
 * Returns the condition for rows after a position. A single row comparison can start inside an index on (…, column, id);
 * the same condition written with OR would also read all rows before the position.
 */
export function isBehind(rows: AnyRows, sort: Sort, { value, id }: Position): Condition {
  const comparison = sort.isDescending ? '<' : '>'
  if (sort.column === 'created_at') return rows('id', comparison, id)
  const left = rows.refTuple(sortExpression(rows, sort, sort.column), rows.ref('id'))
  const right = rows.tuple(value === null ? beforeAllTimes : value, id)
  return rows(left, comparison, right)
}

export function positionOf(row: { id: string; [column: string]: unknown }, { column }: Sort): Position {
  const value = row[column]
  return { value: value instanceof Date ? value.toISOString() : ((value ?? null) as string | number | null), id: row.id }
}

export const reversed = (sort: Sort): Sort => ({ ...sort, isDescending: !sort.isDescending })
