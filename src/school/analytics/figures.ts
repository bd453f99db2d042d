import { type Expression, type ExpressionWrapper, expressionBuilder, type SqlBool, sql } from 'kysely'
import { type Day, daysFrom } from '../../base/days.ts'
import type { DB } from '../../gen/kysely/tables.ts'
import type { Range } from './period.ts'
import type { Figures, Line } from './report.ts'

/** The figures of a day as the database returns them: 64-bit numbers are text. */
export type DayRow = Readonly<Record<string, unknown>> & { day: string }

export const numberIn = (row: Readonly<Record<string, unknown>> | undefined, name: string): number => Number(row?.[name] ?? 0)

type DailyTable = { [Table in keyof DB]: DB[Table] extends { day: DB['analytics_daily_school']['day'] } ? Table : never }[keyof DB]

export const dayValue = (day: Day): Expression<Date> => sql<Date>`${day}::date`

export const dayText = <Table extends DailyTable>(table: Table) => {
  const rows = expressionBuilder<DB, DailyTable>()
  return rows.cast<Day>(rows.ref(`${table as DailyTable}.day`), 'text').as('day')
}

export const isWithin = (table: DailyTable, { from, to }: Range): ExpressionWrapper<DB, DailyTable, SqlBool> => {
  const rows = expressionBuilder<DB, DailyTable>()
  return rows.between(`${table}.day`, dayValue(from), dayValue(to))
}

export function summed(rows: readonly DayRow[], measures: readonly string[]): Figures {
  const byDay = Map.groupBy(rows, ({ day }) => day)
  return {
    over: ({ from, to }) => {
      const within = daysFrom(from, to).flatMap((day) => byDay.get(day) ?? [])
      return Object.fromEntries(measures.map((measure) => [measure, within.reduce((sum, row) => sum + numberIn(row, measure), 0)]))
    },
  }
}

export function summedBy<Row extends DayRow>(rows: readonly Row[], keyOf: (row: Row) => string, measures: readonly string[]) {
  const byKey = Map.groupBy(rows, keyOf)
  return (key: string): Figures => summed(byKey.get(key) ?? [], measures)
}

/**
 * Returns levels that are stored as daily changes, together with summed figures. The level of a range of days is the one at its end.
 * `before` contains the sums of the changes before the first day.
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

/** Returns a part of a whole in percent, rounded to hundredths; 0 if the whole is 0. */
export const percent = (part: number | null | undefined, whole: number | null | undefined): number =>
  whole ? Math.round(((part ?? 0) * 10_000) / whole) / 100 : 0
