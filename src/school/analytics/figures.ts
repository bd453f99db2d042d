import { type Expression, type ExpressionBuilder, type ExpressionWrapper, expressionBuilder, type SqlBool, sql } from 'kysely'
import { type Day, daysFrom } from '../../base/days.ts'
import { fromPublicId, toPublicId } from '../../base/ids.ts'
import { keysOf } from '../../base/text/keysOf.ts'
import type { DB } from '../../gen/kysely/tables.ts'
import type { Figures, Line, Range } from './report.ts'

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

const prefixes = { course: 'crs', digital_product: 'dgp', membership_plan: 'mpl', event: 'evt' } as const
export const productTypes = keysOf(prefixes)

export const productKey = (type: string, id: string): string => toPublicId(prefixes[type as keyof typeof prefixes] ?? 'dgp', id)

export function productOf(key: string): { type: string; id: string } | undefined {
  const found = productTypes.flatMap((type) => {
    const id = fromPublicId(prefixes[type], key)
    return id === undefined ? [] : [{ type, id }]
  })
  return found[0]
}

/** Selects the title of a course by its id, in a query over a table of figures. */
export const titleOfCourse = (line: ExpressionBuilder<DB, 'analytics_daily_course'>) =>
  line.selectFrom('course').select('course.title').whereRef('course.id', '=', 'analytics_daily_course.course_id')

export const titleOfProduct = (line: ExpressionBuilder<DB, 'analytics_daily_product'>) =>
  line
    .case('analytics_daily_product.product_type')
    .when('course')
    .then(line.selectFrom('course').select('course.title').whereRef('course.id', '=', 'analytics_daily_product.product_id'))
    .when('digital_product')
    .then(
      line
        .selectFrom('digital_product')
        .select('digital_product.title')
        .whereRef('digital_product.id', '=', 'analytics_daily_product.product_id'),
    )
    .when('membership_plan')
    .then(
      line
        .selectFrom('membership_plan')
        .select('membership_plan.name as title')
        .whereRef('membership_plan.id', '=', 'analytics_daily_product.product_id'),
    )
    .when('event')
    .then(line.selectFrom('event').select('event.title').whereRef('event.id', '=', 'analytics_daily_product.product_id'))
    .end()

export const maxGroups = 100
