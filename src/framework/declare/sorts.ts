import type { Expression } from 'kysely'
import { z } from 'zod'
import type { Audience } from '../../policy/caller.ts'
import { beforeAllTimes } from '../../store/expressions.ts'
import type { AnyRows, Condition } from './expressions.ts'

/** An order of a list. Ties are broken by id, in the same direction, so that every row has its place. */
export interface Sort {
  /** As in the parameter: `title`, `-published_at`. */
  name: string
  column: string
  isDescending: boolean
  /** The column may be null: it is ordered as if it lay before all times. */
  isNullable: boolean
  /** The column that stands in for one that is null. */
  otherwise: string | undefined
  /** Whom it is for. Absent: everybody. */
  roles?: readonly Audience[] | undefined
}

/** Where a page ends: the sort value of its last row, and the row. */
export interface Position {
  value: string | number | null
  id: string
}

/** The two orders of a field, the declared direction first. */
export function sortsOf(declared: string, field: z.ZodType, otherwise?: string): [Sort, Sort] {
  const column = declared.replace(/^-/, '')
  const isNullable = field instanceof z.ZodNullable
  if (isNullable && !(field.unwrap() instanceof z.ZodISODateTime))
    throw new Error(`${column} may be null and is no time: a list cannot be sorted by it`)
  const ascending = { name: column, column, isDescending: false, isNullable, otherwise }
  const descending = { name: `-${column}`, column, isDescending: true, isNullable, otherwise }
  return declared.startsWith('-') ? [descending, ascending] : [ascending, descending]
}

/** The two orders of a column that is never null, under a name of their own. */
export function sortsBy({ name, column, roles }: { name: string; column: string; roles?: readonly Audience[] }): [Sort, Sort] {
  const sort = { column, isNullable: false, otherwise: undefined, roles }
  return [
    { ...sort, name, isDescending: false },
    { ...sort, name: `-${name}`, isDescending: true },
  ]
}

/** The columns of the order. Ids are UUIDv7: their order is the order of making, so `created_at` needs no second column. */
export const sortColumns = ({ column }: Sort): string[] => (column === 'created_at' ? ['id'] : [column, 'id'])

/** What stands in the order for a column: never null. */
export function sortExpression(rows: AnyRows, sort: Sort, column: string): Expression<unknown> {
  if (column === sort.column && sort.otherwise !== undefined) return rows.fn.coalesce(rows.ref(column), rows.ref(sort.otherwise))
  return column === sort.column && sort.isNullable ? rows.fn.coalesce(rows.ref(column), beforeAllTimes) : rows.ref(column)
}

/**
 * Rows behind a position. One row comparison, which an index on (…, column, id) answers from its middle;
 * the same written with OR reads everything before the position as well.
 */
export function isBehind(rows: AnyRows, sort: Sort, { value, id }: Position): Condition {
  const comparison = sort.isDescending ? '<' : '>'
  if (sort.column === 'created_at') return rows('id', comparison, id)
  const left = rows.refTuple(sortExpression(rows, sort, sort.column), rows.ref('id'))
  const right = rows.tuple(value === null ? beforeAllTimes : value, id)
  return rows(left, comparison, right)
}

/** The position of a row in a list. */
export function positionOf(row: { id: string; [column: string]: unknown }, { column, otherwise }: Sort): Position {
  const value = row[column] ?? (otherwise === undefined ? null : row[otherwise])
  return { value: value instanceof Date ? value.toISOString() : ((value ?? null) as string | number | null), id: row.id }
}

/** The same order from its other end. */
export const reversed = (sort: Sort): Sort => ({ ...sort, isDescending: !sort.isDescending })
