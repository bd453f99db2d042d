import { addDays, type Day, dayIn } from '../../lib/days.ts'
import type { Reader } from '../../store/database.ts'
import { readState } from '../../store/rollups/rollupState.ts'
import { type AskedPeriod, periodOf, type Range } from './period.ts'

/** Figures of some days together, by name. Null where there is nothing to tell. */
export type Line = Readonly<Record<string, number | null>>

/** What a report knows of a range of days: the figures of any days within it. */
export interface Figures {
  over(range: Range): Line
}

/** What is asked of every report. */
export interface Asked {
  database: Reader
  schoolId: string
  /** Where the caller may see own courses only: the lecturer, or nobody at all. */
  lecturer: { id: string | null } | undefined
  today: Day
  /** The report's own parameters, by name. */
  filters: Readonly<Record<string, unknown>>
}

/** What the figures of a part are called by. */
export interface Group {
  /** Public id, or a word. */
  key: string
  title: string | null
  line: Line
}

/** A report over days. */
export interface Report {
  name: string
  read(asked: Asked, range: Range): Promise<Figures>
  /** The same in parts, the largest first, where it was asked for. */
  groups?(asked: Asked, range: Range): Promise<Group[] | undefined>
  /** What of a line is answered. */
  show(line: Line, money: Money): Record<string, unknown>
}

export type Money = (amount: number | null | undefined) => { amount: number; currency: string }

/** How fresh the figures are. */
export interface Freshness {
  as_of: Date | null
  complete_through: Day | null
}

/** A school as its reports need it. */
export interface ReportSchool extends Freshness {
  time_zone: string
  currency: string
  today: Day
}

/** Zone, currency and freshness. A day is complete once it is over and was computed since. */
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

/** Who asks for a report, and when. */
export interface Asking {
  database: Reader
  schoolId: string
  now: Date
  lecturer: Asked['lecturer']
}

/** What a report is asked with, and what it says of the school and how fresh it is. */
export async function askedOf(
  { database, schoolId, now, lecturer }: Asking,
  filters: Asked['filters'] = {},
): Promise<{ asked: Asked; school: Omit<ReportSchool, 'today'> }> {
  const { today, ...school } = await reportSchool(database, schoolId, now)
  return { asked: { database, schoolId, lecturer, today, filters }, school }
}

/**
 * The answer of a report: totals, the same of the days compared with, a series without gaps, and parts where they were asked for.
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
