import { type Aliased, aliased, type ColumnName, type TableName } from '../../../database/statements/columns.ts'

/**
 * A table of figures by day, and the rows that they are computed from. Every expression is SQL in which `$1` is the school, `$2` its time
 * zone and `$5` now. The primary key consists of the school, `day` and the keys.
 */
export interface Rollup<Table extends TableName = TableName> {
  table: Table
  keys: readonly string[]
  measures: readonly string[]
  events: readonly Happening[]
}

export const defineRollup = <Table extends TableName>(rollup: {
  table: Table
  keys: readonly ColumnName<Table>[]
  measures: readonly ColumnName<Table>[]
  events: readonly Happening<ColumnName<Table>>[]
}): Rollup => rollup

/** Something that happens to rows at a time of theirs, and what it adds to the day. */
export interface Happening<Column extends string = string> {
  /** Tables with their aliases; the first has the school and the alias `row`. */
  from: string
  /** The time, written as an index has it where there is one. */
  at: string
  where?: string
  /** When the row was last changed: what changed since the last run says which days to look at again. */
  changedAt?: string
  keys: Readonly<Partial<Record<Column, string>>>
  adds: Readonly<Partial<Record<Column, string>>>
}

/** Days of a school, both included, and the instants around them. */
export interface Days {
  schoolId: string
  timeZone: string
  first: string
  last: string
  now: Date
}

/** The id that means no coupon or no product: all zeros. */
export const nobody = '00000000-0000-0000-0000-000000000000'

/** The day of a time in the school's zone. */
export const dayOf = (at: string): string => `(${at} AT TIME ZONE $2::text)::date`

/** A condition that is true where there is a time. Partial indexes for the figures have the same condition and are used only with it. */
export const has = (at: string): string => `${at} > '-infinity'::timestamptz`

/** The instants around the days of `Days`, with a margin, so that an index finds every row of a day on which clocks change. */
export const begins = `(($3::date::timestamp AT TIME ZONE $2::text) - interval '3 hours')`
export const ends = `((($4::date + 1)::timestamp AT TIME ZONE $2::text) + interval '3 hours')`

/** Returns the query that computes the figures of these days from rows. */
export function freshFigures({ keys, measures, events }: Rollup): string {
  const parts = events.map(({ from, at, where, keys: named, adds }) => {
    const columns = [
      `${dayOf(at)} AS day`,
      ...keys.map((key) => `${named[key]} AS ${key}`),
      ...measures.map((measure) => `(${adds[measure] ?? '0'})::bigint AS ${measure}`),
    ]
    return `SELECT ${columns.join(', ')} FROM ${from}
             WHERE row.school_id = $1::uuid AND ${has(at)} AND ${at} >= ${begins} AND ${at} < ${ends} AND ${at} <= $5::timestamptz${where ? ` AND (${where})` : ''}`
  })
  const key = ['day', ...keys].join(', ')
  return `SELECT ${key}, ${measures.map((measure) => `sum(${measure}) AS ${measure}`).join(', ')}
            FROM (${parts.join('\nUNION ALL\n')}) AS happened
           WHERE day BETWEEN $3::date AND $4::date
           GROUP BY ${key}`
}

const school = aliased('school')

export const rowOrders = aliased('orders', 'row')

export const orders = aliased('orders')

export const refundRow = aliased('refund', 'row')

export const refundWithOrder = `${refundRow} JOIN ${orders} ON ${orders.school_id} = ${refundRow.school_id} AND ${orders.id} = ${refundRow.order_id}`

/** When an order was paid, as its index has it: sales are booked on this day and refunds on their own. */
export const paidAt = ({ paid_at }: Pick<Aliased<'orders'>, 'paid_at'>): string => `coalesce(${paid_at}, '-infinity'::timestamptz)`

/** Amounts of one currency can be summed. The school's is fixed after the first payment; imported amounts in another are left out. */
export const isInSchoolCurrency = (currency: string): string =>
  `${currency} = (SELECT ${school.currency} FROM ${school} WHERE ${school.id} = $1::uuid)`

export const sourceOf = ({ attribution }: Pick<Aliased<'orders'>, 'attribution'>): string =>
  `coalesce(nullif(${attribution}->>'source', ''), 'direct')`
