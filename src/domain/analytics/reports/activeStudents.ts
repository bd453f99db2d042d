import { type DayRow, numberIn, percent } from '../figures.ts'
import { isOwn, ownership } from '../ownCourses.ts'
import type { Range } from '../period.ts'
import type { Asked, Figures, Report } from '../report.ts'

const measures = ['daily_active', 'weekly_active', 'monthly_active']

/** Whose distinct learners are counted: those of a course, of a lecturer's courses together, or of the school. */
export async function activeFigures({ sql, schoolId, filters, lecturer, today }: Asked, { from, to }: Range): Promise<Figures> {
  const course = filters.course as string | undefined
  const [type, id] = course !== undefined ? ['course', course] : lecturer ? ['lecturer', lecturer.id] : ['school', schoolId]
  const rows = await sql.query<DayRow>(
    `SELECT day::text, ${measures.join(', ')} FROM analytics_daily_active
      WHERE school_id = $1::uuid AND subject_type = $2 AND subject_id = $3::uuid AND day BETWEEN $4::date AND $5::date
        AND ($2 <> 'course' OR ${isOwn('subject_id', 6)})`,
    [schoolId, type, id, from, to, ...ownership(lecturer)],
  )
  const byDay = new Map(rows.map((row) => [row.day, row]))
  // Distinct learners do not add up: what some days had is what their last day says that has come.
  return {
    over: (range) => {
      const row = byDay.get(range.to > today && range.from <= today ? today : range.to)
      return Object.fromEntries(measures.map((name) => [name, numberIn(row, name)]))
    },
  }
}

/** Distinct learners of a day, of seven and of 28 days, as of the last day. */
export const activeStudents: Report = {
  name: 'active_students',
  read: activeFigures,
  show: ({ daily_active, weekly_active, monthly_active }) => ({
    daily_active,
    weekly_active,
    monthly_active,
    stickiness_percent: percent(daily_active, monthly_active),
  }),
}
