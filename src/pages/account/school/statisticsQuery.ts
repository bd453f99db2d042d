import { accountPaths } from '../../../base/accountPaths.ts'
import { addDays, type Day, isDay } from '../../../base/days.ts'
import { withQuery } from '../../../base/text/withQuery.ts'
import type { OwnRequest } from '../ownPage.ts'

/** The lengths of a period that a page of figures offers. */
export const lengths = [7, 30, 365] as const

const longest = 731

/** The figures whose rows the page can show. */
export const rowKinds = ['orders', 'new_students', 'enrollments', 'active_students'] as const

export type RowKind = (typeof rowKinds)[number]

/** The days and the course in the address. Without days, the last 30. */
export interface StatisticsQuery {
  /** The number of days up to today; undefined for a free range. */
  days: (typeof lengths)[number] | undefined
  from: Day
  to: Day
  course: string | undefined
  isWrong: boolean
}

/** Returns the days and the course in the address. */
export function queryOf({ ctx }: Pick<OwnRequest, 'ctx'>, today: Day): StatisticsQuery {
  const asked = new URLSearchParams(ctx.querystring)
  const [from, to] = [asked.get('from') ?? '', asked.get('to') ?? '']
  const course = asked.get('course') ?? undefined
  const isFree = isDay(from) && isDay(to) && from <= to && from >= '1970' && to < '3000' && addDays(from, longest) > to
  if (isFree) return { days: undefined, from, to, course, isWrong: false }
  const days = lengths.find((length) => String(length) === asked.get('days')) ?? 30
  return { days, from: addDays(today, 1 - days), to: today, course, isWrong: from !== '' || to !== '' }
}

export const rowsAsked = ({ ctx }: Pick<OwnRequest, 'ctx'>): RowKind | undefined => rowKinds.find((kind) => kind === ctx.query.rows)

/** Returns the address of the page with the same days and course. */
export const statisticsPath = ({ days, from, to, course }: StatisticsQuery, more: Readonly<Record<string, string>> = {}): string =>
  withQuery(accountPaths.schoolStatistics, {
    ...(days === undefined ? { from, to } : { days: String(days) }),
    ...(course && { course }),
    ...more,
  })
