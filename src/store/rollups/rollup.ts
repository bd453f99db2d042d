/**
 * A table of figures by day, and what they are made of. Every expression is SQL in which `$2` is the school's time zone and `$5` now;
 * rows are told apart by `day` and the keys.
 */
export interface Rollup {
  table: string
  keys: readonly string[]
  measures: readonly string[]
  happenings: readonly Happening[]
}

/** Something that happens to rows at a time of theirs, and what it adds to the day. */
export interface Happening {
  /** Tables with their aliases, the first of which has the school and is called `row`. */
  from: string
  /** The time, written as an index has it where there is one. */
  at: string
  where?: string
  /** When the row was last changed: what changed since the last run says which days to look at again. */
  changedAt?: string
  keys: Readonly<Record<string, string>>
  adds: Readonly<Record<string, string>>
}

/** Days of a school, both included, and the instants around them. */
export interface Days {
  schoolId: string
  timeZone: string
  first: string
  last: string
  now: Date
}

/** All zeros: no coupon, no product. */
export const nobody = '00000000-0000-0000-0000-000000000000'

/** The day of a time in the school's zone. */
export const dayOf = (at: string): string => `(${at} AT TIME ZONE $2::text)::date`

/** Says that there is a time. Also the condition of the indexes that serve figures alone: without it they are not used. */
export const has = (at: string): string => `${at} > '-infinity'::timestamptz`

/** Where the days of `Days` begin and end; somewhat wider, so that an index finds every row of a day whose clocks change. */
export const begins = `(($3::date::timestamp AT TIME ZONE $2::text) - interval '3 hours')`
export const ends = `((($4::date + 1)::timestamp AT TIME ZONE $2::text) + interval '3 hours')`

/** What stands in these days, from rows. */
export function freshFigures({ keys, measures, happenings }: Rollup): string {
  const parts = happenings.map(({ from, at, where, keys: named, adds }) => {
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
