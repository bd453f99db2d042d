import type { AliasedExpression } from 'kysely'
import { dayValue, isWithin, numberIn, percent } from '../figures.ts'
import { compared, isOwn, type Range, type ReportRequest } from '../report.ts'

export const courseMetrics = ['revenue', 'enrollments', 'completions', 'active_students'] as const
export type CourseMetric = (typeof courseMetrics)[number]

/** Returns the courses with the highest value of a metric, and its change compared with as many days before. */
export async function topCourses(request: ReportRequest, range: Range, { metric, limit }: { metric: CourseMetric; limit: number }) {
  const now = await valuesIn(request, range, metric)
  const before = new Map(
    (await valuesIn(request, compared(range, 'previous_period'), metric)).map((row) => [row.course_id, numberIn(row, 'value')]),
  )
  const all = now.reduce((sum, row) => sum + numberIn(row, 'value'), 0)
  return now.slice(0, limit).map((row, index) => {
    const value = numberIn(row, 'value')
    const was = before.get(row.course_id) ?? 0
    return {
      rank: index + 1,
      course: { id: row.course_id, title: row.title },
      value,
      share_percent: all > 0 ? percent(value, all) : 0,
      change_percent: was > 0 ? percent(value - was, was) : null,
    }
  })
}

async function valuesIn(request: ReportRequest, range: Range, metric: CourseMetric) {
  const { database } = request
  if (range.from > range.to) return []
  return await database
    .selectFrom(valuesOf(request, range, metric))
    .innerJoin('course', 'course.id', 'found.course_id')
    .select(['found.course_id', 'course.title', 'found.value'])
    .where('found.value', '<>', 0)
    .where(isOwn(request, 'course.id'))
    .orderBy('found.value', 'desc')
    .orderBy('found.course_id')
    .execute()
}

interface CourseValue {
  course_id: string
  value: number | string | bigint
}

function valuesOf({ database, today }: ReportRequest, range: Range, metric: CourseMetric): AliasedExpression<CourseValue, 'found'> {
  if (metric === 'revenue') {
    return database
      .selectFrom('analytics_daily_product')
      .select(['product_id as course_id'])
      .select((line) => line.fn.sum(line(line('gross', '-', line.ref('discounts')), '-', line.ref('refunds'))).as('value'))
      .where('product_type', '=', 'course')
      .where(isWithin('analytics_daily_product', range))
      .groupBy('product_id')
      .as('found')
  }
  if (metric === 'active_students') {
    const last = range.to < today ? range.to : today
    return database
      .selectFrom('analytics_daily_active')
      .select(['subject_id as course_id', ({ cast }) => cast<number | string | bigint>('monthly_active', 'bigint').as('value')])
      .where('subject_type', '=', 'course')
      .where('day', '=', dayValue(last))
      .where('day', '>=', dayValue(range.from))
      .as('found')
  }
  const column = metric === 'enrollments' ? 'enrolled' : 'completed'
  return database
    .selectFrom('analytics_daily_course')
    .select(['course_id', ({ fn }) => fn.sum(column).as('value')])
    .where(isWithin('analytics_daily_course', range))
    .groupBy('course_id')
    .as('found')
}
