import { dayText, isWithin, percent, summed } from '../figures.ts'
import type { Report, ReportRequest } from '../report.ts'

const table = 'analytics_daily_event'
const measures = ['published', 'rsvps', 'attended', 'no_show'] as const

/** Reports published events, responses and attendance. For a lecturer: the events that they host, and those of the courses they teach. */
export const events: Report = {
  name: 'events',
  async read(request, range) {
    const { database, lecturer } = request
    const rows = await database
      .selectFrom(table)
      .select(dayText(table))
      .select(({ fn }) => measures.map((name) => fn.sum(name).as(name)))
      .where(isWithin(table, range))
      .$if(lecturer !== undefined, (lines) => lines.where('event_id', 'in', eventsOf(request, lecturer?.id ?? null)))
      .groupBy('day')
      .execute()
    return summed(rows, measures)
  },
  show: ({ published, rsvps, attended, no_show }) => ({
    published,
    rsvps,
    attended,
    attendance_percent: percent(attended, (attended ?? 0) + (no_show ?? 0)),
  }),
}

const eventsOf = ({ database }: ReportRequest, lecturerId: string | null) =>
  database
    .selectFrom('event_host')
    .select('event_host.event_id')
    .where('event_host.lecturer_id', 'is not distinct from', lecturerId as string)
    .unionAll(
      database
        .selectFrom('event')
        .innerJoin('course_lecturer', 'course_lecturer.course_id', 'event.course_id')
        .select('event.id as event_id')
        .where('course_lecturer.lecturer_id', 'is not distinct from', lecturerId as string),
    )
