import type { ExpressionBuilder } from 'kysely'
import type { Day } from '../../../base/days.ts'
import { toPublicId } from '../../../base/ids.ts'
import type { Stored } from '../../../database/connection/database.ts'
import { isAmong } from '../../../database/statements/expressions.ts'
import type { DB } from '../../../gen/kysely/tables.ts'
import { dayText, isWithin, maxGroups, percent, summed, summedBy, titleOfCourse } from '../figures.ts'
import { type Figures, isOwn, type Range, type Report, type ReportRequest } from '../report.ts'

const measures = ['started', 'completed', 'started_completed', 'started_progress'] as const

const sums = ({ fn }: ExpressionBuilder<DB, 'analytics_daily_course'>) => measures.map((name) => fn.sum(name).as(name))

function coursesIn(request: ReportRequest, range: Range) {
  const { course } = request.filters
  const lines = request.database
    .selectFrom('analytics_daily_course')
    .where(isWithin('analytics_daily_course', range))
    .where(isOwn(request, 'analytics_daily_course.course_id'))
  return course === undefined ? lines : lines.where('analytics_daily_course.course_id', '=', course)
}

function pacesIn(request: ReportRequest, range: Range) {
  const { course } = request.filters
  const lines = request.database
    .selectFrom('analytics_daily_pace')
    .select(['days', ({ fn, cast }) => cast<number>(fn.sum('completions'), 'integer').as('completions')])
    .where(isWithin('analytics_daily_pace', range))
    .where(isOwn(request, 'analytics_daily_pace.course_id'))
  return course === undefined ? lines : lines.where('analytics_daily_pace.course_id', '=', course)
}

type Pace = Stored<'analytics_daily_pace', 'days' | 'completions'>

/** Reports enrolments that were started and completed. The rate is that of the enrolments started in these days. */
export const completion: Report = {
  name: 'completion',
  async read(request, range) {
    const courses = coursesIn(request, range).select(dayText('analytics_daily_course')).select(sums).groupBy('analytics_daily_course.day')
    const sum = summed(await courses.execute(), measures)
    const paces = await pacesIn(request, range)
      .select(dayText('analytics_daily_pace'))
      .groupBy(['analytics_daily_pace.day', 'days'])
      .execute()
    return withMedian(sum, paces)
  },
  async groups(request, range) {
    if (request.filters.group_by === undefined) return undefined
    const rows = await coursesIn(request, range)
      .select(['course_id', (line) => titleOfCourse(line).as('title')])
      .select(sums)
      .groupBy(['school_id', 'course_id'])
      .orderBy(({ fn }) => fn.sum('started'), 'desc')
      .orderBy('course_id')
      .limit(maxGroups)
      .execute()
    const ids = rows.map(({ course_id }) => course_id)
    const days = await coursesIn(request, range)
      .select([dayText('analytics_daily_course'), 'course_id'])
      .select(sums)
      .where((line) => isAmong(line.ref('analytics_daily_course.course_id'), ids))
      .groupBy(['analytics_daily_course.day', 'course_id'])
      .execute()
    const paces = await pacesIn(request, range)
      .select([dayText('analytics_daily_pace'), 'course_id'])
      .groupBy(['analytics_daily_pace.day', 'course_id', 'days'])
      .execute()
    const sumsOf = summedBy(days, ({ course_id }) => course_id, measures)
    const pacesOf = Map.groupBy(paces, ({ course_id }) => course_id)
    return rows.map((row) => {
      const figures = withMedian(sumsOf(row.course_id), pacesOf.get(row.course_id) ?? [])
      return { key: toPublicId('crs', row.course_id), title: row.title, line: figures.over(range), figures }
    })
  },
  show: ({ started, completed, started_completed, started_progress, median }) => ({
    started,
    completed,
    completion_rate_percent: percent(started_completed, started),
    median_days_to_complete: median,
    average_progress_percent: started ? Math.round(((started_progress ?? 0) * 100) / started) / 100 : 0,
  }),
}

const withMedian = (sum: Figures, paces: readonly (Pace & { day: Day })[]): Figures => ({
  over: ({ from, to }) => ({ ...sum.over({ from, to }), median: medianOf(paces.filter(({ day }) => day >= from && day <= to)) }),
})

/** Returns the median; of two in the middle the lower; null without completions. */
export function medianOf(paces: readonly Pace[]): number | null {
  const all = paces.reduce((sum, { completions }) => sum + completions, 0)
  let seen = 0
  for (const { days, completions } of paces.toSorted((left, right) => left.days - right.days)) {
    seen += completions
    if (seen * 2 >= all) return days
  }
  return null
}
