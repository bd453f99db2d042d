import { type Expression, type ExpressionWrapper, expressionBuilder, type SqlBool, sql } from 'kysely'
import type { DB } from '../../gen/kysely/tables.ts'
import { type Day, daysFrom } from '../../lib/days.ts'
import type { Range } from './period.ts'
import type { Figures, Line } from './report.ts'

/** A line of a day as the database answers it: numbers of eight bytes arrive as text. */
export type DayRow = Readonly<Record<string, unknown>> & { day: string }

export const numberIn = (row: Readonly<Record<string, unknown>> | undefined, name: string): number => Number(row?.[name] ?? 0)

/** The tables with one line a day. */
type DailyTable = { [Table in keyof DB]: DB[Table] extends { day: DB['analytics_daily_school']['day'] } ? Table : never }[keyof DB]

/** A day as the database compares it. */
export const dayValue = (day: Day): Expression<Date> => sql<Date>`${day}::date`

/** The day of a line, as text. */
export const dayText = <Table extends DailyTable>(table: Table) => {
  const rows = expressionBuilder<DB, DailyTable>()
  return rows.cast<Day>(rows.ref(`${table as DailyTable}.day`), 'text').as('day')
}

/** Returns a condition that is true for the lines of these days. */
export const isWithin = (table: DailyTable, { from, to }: Range): ExpressionWrapper<DB, DailyTable, SqlBool> => {
  const rows = expressionBuilder<DB, DailyTable>()
  return rows.between(`${table}.day`, dayValue(from), dayValue(to))
}

/** Figures that add up over days. */
export function summed(rows: readonly DayRow[], measures: readonly string[]): Figures {
  const byDay = Map.groupBy(rows, ({ day }) => day)
  return {
    over: ({ from, to }) => {
      const within = daysFrom(from, to).flatMap((day) => byDay.get(day) ?? [])
      return Object.fromEntries(measures.map((measure) => [measure, within.reduce((sum, row) => sum + numberIn(row, measure), 0)]))
    },
  }
}

/**
 * Levels that stand as changes, beside figures that add up: the level of some days is the one at their end.
 * `before` are the sums of the changes up to the first day.
 */
export function levelled(changes: Figures, { from }: Range, before: Line): Figures {
  const names = Object.keys(before)
  return {
    over: (range) => {
      const upTo = changes.over({ from, to: range.to })
      const levels = names.map((name) => [name, (before[name] ?? 0) + (upTo[name] ?? 0)] as const)
      return { ...changes.over(range), ...Object.fromEntries(levels) }
    },
  }
}

/** Parts of a whole in percent, to hundredths; 0 of nothing. */
export const percent = (part: number | null | undefined, whole: number | null | undefined): number =>
  whole ? Math.round(((part ?? 0) * 10_000) / whole) / 100 : 0
