import { type DayRow, percent, summed } from '../figures.ts'
import { ownership } from '../ownCourses.ts'
import type { Report } from '../report.ts'

const measures = ['published', 'rsvps', 'attended', 'no_show']

/** Events that were announced, who answered, and who came. Of a lecturer: those that they host, and those of own courses. */
export const events: Report = {
  name: 'events',
  async read({ sql, schoolId, lecturer }, { from, to }) {
    const rows = await sql.query<DayRow>(
      `SELECT day::text, ${measures.map((name) => `sum(${name}) AS ${name}`).join(', ')} FROM analytics_daily_event
        WHERE school_id = $1::uuid AND day BETWEEN $2::date AND $3::date
          AND (NOT $5::boolean OR event_id IN (
                 SELECT event_id FROM event_host WHERE school_id = $1::uuid AND lecturer_id = $4::uuid
                  UNION ALL
                 SELECT event.id FROM event JOIN course_lecturer USING (school_id, course_id)
                  WHERE event.school_id = $1::uuid AND course_lecturer.lecturer_id = $4::uuid))
        GROUP BY day`,
      [schoolId, from, to, ...ownership(lecturer)],
    )
    return summed(rows, measures)
  },
  show: ({ published, rsvps, attended, no_show }) => ({
    published,
    rsvps,
    attended,
    attendance_percent: percent(attended, (attended ?? 0) + (no_show ?? 0)),
  }),
}
