import { addDays, type Day, dayIn } from '../../lib/days.ts'
import type { Reader } from '../../store/database.ts'
import { readState } from '../../store/rollups/rollupState.ts'
import { type AskedPeriod, periodOf, type Range } from './period.ts'

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

/** The request of a report. */
export interface Asked {
  database: Reader
  schoolId: string
  /** Present if the caller may see own courses only. A null id matches no lecturer. */
  lecturer: { id: string | null } | undefined
  today: Day
  filters: Readonly<ReportFilters>
}

/** A group of a report. */
export interface Group {
  /** A public id or a keyword. */
  key: string
  title: string | null
  line: Line
}

/** A report over a range of days. */
export interface Report {
  name: string
  read(asked: Asked, range: Range): Promise<Figures>
  /** Returns the figures by group, largest first, if groups were requested. */
  groups?(asked: Asked, range: Range): Promise<Group[] | undefined>
  /** Converts figures to members of the response. */
  show(line: Line, money: Money): Record<string, unknown>
}

export type Money = (amount: number | null | undefined) => { amount: number; currency: string }

/** The freshness of the figures. */
export interface Freshness {
  as_of: Date | null
  complete_through: Day | null
}

/** The data of a school that reports need. */
export interface ReportSchool extends Freshness {
  time_zone: string
  currency: string
  today: Day
}

/** Returns the time zone, the currency and the freshness. A day is complete after it is over and was computed since. */
async function reportSchool(database: Reader, schoolId: string, now: Date): Promise<ReportSchool> {
  const { state, timeZone, currency } = await readState(database, schoolId)
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

/** The caller of a report, and the time. */
export interface Asking {
  database: Reader
  schoolId: string
  now: Date
  lecturer: Asked['lecturer']
}

/** Returns the request of a report, with the data of the school and the freshness. */
export async function askedOf(
  { database, schoolId, now, lecturer }: Asking,
  filters: Asked['filters'] = {},
): Promise<{ asked: Asked; school: Omit<ReportSchool, 'today'> }> {
  const { today, ...school } = await reportSchool(database, schoolId, now)
  return { asked: { database, schoolId, lecturer, today, filters }, school }
}

/**
 * Returns the response of a report: totals, totals of the days to compare with, a series without gaps, and groups if requested.
 * @throws Problem invalid_parameter
 */
export async function answerReport(
  report: Report,
  asking: Asking,
  { filters, ...days }: AskedPeriod & { filters: Asked['filters'] },
): Promise<Record<string, unknown>> {
  const { asked, school } = await askedOf(asking, filters)
  const period = periodOf(days, asked.today)
  const money: Money = (amount) => ({ amount: amount ?? 0, currency: school.currency })
  const figures = await report.read(asked, period)
  const groups = await report.groups?.(asked, period)
  const { compare } = period
  return {
    object: 'analytics.report',
    report: report.name,
    from: period.from,
    to: period.to,
    interval: period.interval,
    ...school,
    totals: report.show(figures.over(period), money),
    compare: compare ? { ...compare, totals: report.show((await report.read(asked, compare)).over(compare), money) } : null,
    series: period.buckets.map((bucket) => ({ date: bucket.date, ...report.show(figures.over(bucket), money) })),
    groups: groups ? groups.map(({ key, title, line }) => ({ key, title, ...report.show(line, money) })) : null,
  }
}
