import { expressionBuilder, sql } from 'kysely'
import { addDays, addMonths, addYears, type Day, dayIn, daysBetween, firstOfMonth, mondayOf } from '../../base/days.ts'
import { Problem } from '../../base/problem.ts'
import type { SchoolReader } from '../../database/connection/database.ts'
import type { Condition } from '../../database/statements/expressions.ts'
import type { DB } from '../../gen/kysely/tables.ts'
import { readState } from './rollups/rollupState.ts'

/** Figures of a range of days, by name. Null if a figure has no value. */
export type Line = Readonly<Record<string, number | null>>

/** The figures of a range of days, available for any days within it. */
export interface Figures {
  over(range: Range): Line
}

/** The parameters by which a report is filtered or grouped. Ids are stored ids. Each report has some of them. */
export interface ReportFilters {
  course?: string | undefined
  source?: readonly string[] | undefined
  product?: { type: string; id: string } | undefined
  product_type?: string | undefined
  coupon?: string | undefined
  plan?: string | undefined
  currency?: string | undefined
  status?: readonly string[] | undefined
  group_by?: 'course' | 'source' | 'product' | 'product_type' | 'coupon' | undefined
}

export interface ReportRequest {
  database: SchoolReader
  /** Present if the caller may see own courses only. A null id matches no lecturer. */
  lecturer: { id: string | null } | undefined
  today: Day
  filters: Readonly<ReportFilters>
}

export interface Group {
  /** A public id or a keyword. */
  key: string
  title: string | null
  line: Line
  figures: Figures
}

export interface Report {
  name: string
  read(request: ReportRequest, range: Range): Promise<Figures>
  groups?(request: ReportRequest, range: Range): Promise<Group[] | undefined>
  show(line: Line, money: Money): Record<string, unknown>
}

export type Money = (amount: number | null | undefined) => { amount: number; currency: string }

export interface Freshness {
  as_of: Date | null
  complete_through: Day | null
}

export interface ReportSchool extends Freshness {
  time_zone: string
  currency: string
  today: Day
}

/** Returns the time zone, the currency and the freshness. A day is complete after it is over and was computed since. */
async function reportSchool(database: SchoolReader, now: Date): Promise<ReportSchool> {
  const { state, timeZone, currency } = await readState(database, database.schoolId)
  const known = state?.timeZone === timeZone ? state : undefined
  const lastWhole = known?.asOf && addDays(dayIn(timeZone, known.asOf), -1)
  const computed = known?.daysThrough
  return {
    time_zone: timeZone,
    currency,
    today: dayIn(timeZone, now),
    as_of: known?.asOf ?? null,
    complete_through: lastWhole && computed && computed < lastWhole ? computed : (lastWhole ?? null),
  }
}

export interface ReportCaller {
  database: SchoolReader
  now: Date
  lecturer: ReportRequest['lecturer']
}

export async function createReportRequest(
  { database, now, lecturer }: ReportCaller,
  filters: ReportRequest['filters'] = {},
): Promise<{ request: ReportRequest; school: Omit<ReportSchool, 'today'> }> {
  const { today, ...school } = await reportSchool(database, now)
  return { request: { database, lecturer, today, filters }, school }
}

/**
 * Returns the response of a report: totals, totals of the days to compare with, a series without gaps, and groups if requested.
 * @throws Problem invalid_parameter
 */
export async function answerReport(
  report: Report,
  caller: ReportCaller,
  { filters, ...days }: PeriodParameters & { filters: ReportRequest['filters'] },
): Promise<Record<string, unknown>> {
  const { request, school } = await createReportRequest(caller, filters)
  const period = periodOf(days, request.today)
  const money: Money = (amount) => ({ amount: amount ?? 0, currency: school.currency })
  const figures = await report.read(request, period)
  const groups = await report.groups?.(request, period)
  if (groups) requireFewValues(groups.length * period.buckets.length)
  const { compare } = period
  return {
    object: 'analytics.report',
    report: report.name,
    from: period.from,
    to: period.to,
    interval: period.interval,
    ...school,
    totals: report.show(figures.over(period), money),
    compare: compare ? { ...compare, totals: report.show((await report.read(request, compare)).over(compare), money) } : null,
    series: period.buckets.map((bucket) => ({ date: bucket.date, ...report.show(figures.over(bucket), money) })),
    groups:
      groups?.map(({ key, title, line, figures: ofGroup }) => ({
        key,
        title,
        ...report.show(line, money),
        series: period.buckets.map((bucket) => ({ date: bucket.date, ...report.show(ofGroup.over(bucket), money) })),
      })) ?? null,
  }
}

/** The most elements of the series of all groups of a report. The default intervals never have more. */
const maxValues = 5000

/** @throws Problem invalid_parameter */
function requireFewValues(values: number): void {
  if (values <= maxValues) return
  const message = `interval: would give ${values} values by group, and at most ${maxValues} are possible. Use a longer interval or fewer days`
  throw new Problem('invalid_parameter', { description: `${message}.`, details: [{ field: 'interval', code: 'range', message }] })
}

/** Returns a condition that is true for courses that the lecturer teaches, and for every course if the caller is not a lecturer. */
export function isOwn({ database, lecturer }: Pick<ReportRequest, 'database' | 'lecturer'>, course: OwnColumn): Condition {
  if (lecturer === undefined) return sql.lit(true)
  if (lecturer.id === null) return sql.lit(false)
  const taught = database
    .selectFrom('course_lecturer')
    .select('course_lecturer.course_id')
    .where('course_lecturer.lecturer_id', '=', lecturer.id)
  return expressionBuilder<DB, 'analytics_daily_active' | 'analytics_daily_course' | 'analytics_daily_pace' | 'course'>()(
    course,
    'in',
    taught,
  )
}

type OwnColumn = 'analytics_daily_active.subject_id' | 'analytics_daily_course.course_id' | 'analytics_daily_pace.course_id' | 'course.id'

export const intervals = ['day', 'week', 'month'] as const
export type Interval = (typeof intervals)[number]
export const comparisons = ['previous_period', 'previous_year'] as const

const maxDays = 731
const defaultDays = 30

/** A range of days, both ends included. */
export interface Range {
  from: Day
  to: Day
}

/** A part of a period: the day that labels it, and its days within the period. */
export interface Bucket extends Range {
  date: Day
}

export interface Period extends Range {
  interval: Interval
  buckets: readonly Bucket[]
  compare: Range | undefined
}

interface PeriodParameters {
  from?: Day | undefined
  to?: Day | undefined
  interval?: Interval | undefined
  compare?: (typeof comparisons)[number] | undefined
}

/**
 * Returns the days of a report: the requested ones, by default the last 30 up to today.
 * @throws Problem invalid_parameter if the range is empty, too long, or outside the supported years
 */
export function periodOf(
  { from: requestedFrom, to: requestedTo, interval: requestedInterval, compare }: PeriodParameters,
  today: Day,
): Period {
  for (const [name, day] of Object.entries({ from: requestedFrom, to: requestedTo })) {
    if (day !== undefined && (day < '1970-01-01' || day > '2999-12-31')) throw wrong(name, 'must be between 1970-01-01 and 2999-12-31')
  }
  const to = requestedTo ?? (requestedFrom !== undefined && requestedFrom > today ? requestedFrom : today)
  const from = requestedFrom ?? addDays(to, 1 - defaultDays)
  if (from > to) throw wrong('from', 'must not be after to')
  const days = daysBetween(from, to) + 1
  if (days > maxDays) throw wrong('from', `must be at most ${maxDays - 1} days before to`)
  const interval = requestedInterval ?? (days <= 31 ? 'day' : days <= 184 ? 'week' : 'month')
  return { from, to, interval, buckets: bucketsOf({ from, to }, interval), compare: compare && compared({ from, to }, compare) }
}

const wrong = (field: string, message: string): Problem =>
  new Problem('invalid_parameter', {
    description: `${field} ${message}.`,
    details: [{ field, code: 'range', message: `${field} ${message}.` }],
  })

const startOf = { day: (day: Day) => day, week: mondayOf, month: firstOfMonth }
const after = { day: (day: Day) => addDays(day, 1), week: (day: Day) => addDays(day, 7), month: (day: Day) => addMonths(day, 1) }

/** Splits a range into days, weeks from Monday or months. The first and the last one may be incomplete. */
function bucketsOf({ from, to }: Range, interval: Interval): Bucket[] {
  const buckets: Bucket[] = []
  for (let date = startOf[interval](from); date <= to; date = after[interval](date)) {
    const end = addDays(after[interval](date), -1)
    buckets.push({ date, from: date < from ? from : date, to: end > to ? to : end })
  }
  return buckets
}

/** Returns the range to compare with: as many days directly before, or the same days of the previous year. */
export const compared = ({ from, to }: Range, how: (typeof comparisons)[number]): Range =>
  how === 'previous_year'
    ? { from: addYears(from, -1), to: addYears(to, -1) }
    : { from: addDays(from, -1 - daysBetween(from, to)), to: addDays(from, -1) }
