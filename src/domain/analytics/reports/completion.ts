import { toPublicId } from '../../../lib/ids.ts'
import { type DayRow, numberIn, percent, summed } from '../figures.ts'
import { isOwn, ownership } from '../ownCourses.ts'
import type { Range } from '../period.ts'
import type { Asked, Report } from '../report.ts'
import { mostGroups } from '../subjects.ts'

const measures = ['started', 'completed', 'started_completed', 'started_progress']
const which = `school_id = $1::uuid AND day BETWEEN $2::date AND $3::date AND ($4::uuid IS NULL OR course_id = $4) AND ${isOwn('course_id', 5)}`
const sums = measures.map((name) => `sum(${name}) AS ${name}`).join(', ')
const valuesOf = ({ schoolId, filters, lecturer }: Asked, { from, to }: Range): unknown[] => [
  schoolId,
  from,
  to,
  filters.course ?? null,
  ...ownership(lecturer),
]

interface Pace {
  days: number
  completions: number
}

/** Who began to learn and who got to the end; the rate is that of those who began in these days. */
export const completion: Report = {
  name: 'completion',
  async read(asked, range) {
    const { sql } = asked
    const values = valuesOf(asked, range)
    const sum = summed(
      await sql.query<DayRow>(`SELECT day::text, ${sums} FROM analytics_daily_course WHERE ${which} GROUP BY day`, values),
      measures,
    )
    const paces = await sql.query<DayRow & Pace>(
      `SELECT day::text, days, sum(completions)::int AS completions FROM analytics_daily_pace WHERE ${which} GROUP BY day, days`,
      values,
    )
    return {
      over: ({ from, to }) => ({ ...sum.over({ from, to }), median: medianOf(paces.filter(({ day }) => day >= from && day <= to)) }),
    }
  },
  async groups(asked, range) {
    if (asked.filters.group_by === undefined) return undefined
    const values = valuesOf(asked, range)
    const rows = await asked.sql.query<Record<string, string>>(
      `SELECT parts.*, (SELECT title FROM course WHERE course.school_id = $1::uuid AND course.id = course_id) AS title
         FROM (SELECT course_id, ${sums} FROM analytics_daily_course WHERE ${which}
                GROUP BY course_id ORDER BY sum(started) DESC, course_id LIMIT ${mostGroups}) AS parts`,
      values,
    )
    const paces = await asked.sql.query<Pace & { course_id: string }>(
      `SELECT course_id, days, sum(completions)::int AS completions FROM analytics_daily_pace WHERE ${which} GROUP BY course_id, days`,
      values,
    )
    return rows.map((row) => ({
      key: toPublicId('crs', row.course_id as string),
      title: row.title ?? null,
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

/** The middle one; of two in the middle the lower. Null of none. */
export function medianOf(paces: readonly Pace[]): number | null {
  const all = paces.reduce((sum, { completions }) => sum + completions, 0)
  let seen = 0
  for (const { days, completions } of paces.toSorted((left, right) => left.days - right.days)) {
    seen += completions
    if (seen * 2 >= all) return days
  }
  return null
}
