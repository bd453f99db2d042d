import type { ExpressionBuilder } from 'kysely'
import type { DB } from '../../../gen/kysely/tables.ts'
import { toPublicId } from '../../../lib/ids.ts'
import { dayText, isWithin, numberIn, percent, summed } from '../figures.ts'
import { isOwn } from '../ownCourses.ts'
import type { Range } from '../period.ts'
import type { Asked, Report } from '../report.ts'
import { mostGroups, titleOfCourse } from '../subjects.ts'

const measures = ['started', 'completed', 'started_completed', 'started_progress'] as const

const sums = ({ fn }: ExpressionBuilder<DB, 'analytics_daily_course'>) => measures.map((name) => fn.sum(name).as(name))

function coursesIn(asked: Asked, range: Range) {
  const { course } = asked.filters
  const lines = asked.database
    .selectFrom('analytics_daily_course')
    .where('analytics_daily_course.school_id', '=', asked.schoolId)
    .where(isWithin('analytics_daily_course', range))
    .where(isOwn(asked, 'analytics_daily_course.course_id'))
  return course === undefined ? lines : lines.where('analytics_daily_course.course_id', '=', course)
}

function pacesIn(asked: Asked, range: Range) {
  const { course } = asked.filters
  const lines = asked.database
    .selectFrom('analytics_daily_pace')
    .select(['days', ({ fn, cast }) => cast<number>(fn.sum('completions'), 'integer').as('completions')])
    .where('analytics_daily_pace.school_id', '=', asked.schoolId)
    .where(isWithin('analytics_daily_pace', range))
    .where(isOwn(asked, 'analytics_daily_pace.course_id'))
  return course === undefined ? lines : lines.where('analytics_daily_pace.course_id', '=', course)
}

interface Pace {
  days: number
  completions: number
}

/** Reports enrolments that were started and completed. The rate is that of the enrolments started in these days. */
export const completion: Report = {
  name: 'completion',
  async read(asked, range) {
    const courses = coursesIn(asked, range).select(dayText('analytics_daily_course')).select(sums).groupBy('analytics_daily_course.day')
    const sum = summed(await courses.execute(), measures)
    const paces = await pacesIn(asked, range)
      .select(dayText('analytics_daily_pace'))
      .groupBy(['analytics_daily_pace.day', 'days'])
      .execute()
    return {
      over: ({ from, to }) => ({ ...sum.over({ from, to }), median: medianOf(paces.filter(({ day }) => day >= from && day <= to)) }),
    }
  },
  async groups(asked, range) {
    if (asked.filters.group_by === undefined) return undefined
    const rows = await coursesIn(asked, range)
      .select(['course_id', (line) => titleOfCourse(line).as('title')])
      .select(sums)
      .groupBy(['school_id', 'course_id'])
      .orderBy(({ fn }) => fn.sum('started'), 'desc')
      .orderBy('course_id')
      .limit(mostGroups)
      .execute()
    const paces = await pacesIn(asked, range).select('course_id').groupBy(['course_id', 'days']).execute()
    return rows.map((row) => ({
      key: toPublicId('crs', row.course_id),
      title: row.title,
      line: {
        ...Object.fromEntries(measures.map((name) => [name, numberIn(row, name)])),
        median: medianOf(paces.filter(({ course_id }) => course_id === row.course_id)),
      },
    }))
  },
  show: ({ started, completed, started_completed, started_progress, median }) => ({
    started,
    completed,
    completion_rate_percent: percent(started_completed, started),
    median_days_to_complete: median,
    average_progress_percent: started ? Math.round(((started_progress ?? 0) * 100) / started) / 100 : 0,
  }),
}

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
