import { type DayRow, dayText, isWithin, numberIn, percent } from '../figures.ts'
import { type Figures, isOwn, type Range, type Report, type ReportRequest } from '../report.ts'

const table = 'analytics_daily_active'
const measures = ['daily_active', 'weekly_active', 'monthly_active'] as const

/** Returns the distinct learners of a course, of a lecturer's courses together, or of the school. */
export async function activeFigures(request: ReportRequest, range: Range): Promise<Figures> {
  const { today } = request
  const rows: DayRow[] = await linesOf(request)
    .select([dayText(table), ...measures])
    .where(isWithin(table, range))
    .execute()
  const byDay = new Map(rows.map((row) => [row.day, row]))
  // Distinct learners do not add up: some days have the figures of their last day, or of today if they are not over.
  return {
    over: ({ from, to }) => {
      const row = byDay.get(to > today && from <= today ? today : to)
      return Object.fromEntries(measures.map((name) => [name, numberIn(row, name)]))
    },
  }
}

function linesOf(request: ReportRequest) {
  const { database, filters, lecturer } = request
  const lines = database.selectFrom(table)
  const { course } = filters
  if (course !== undefined) {
    return lines
      .where('subject_type', '=', 'course')
      .where('subject_id', '=', course)
      .where(isOwn(request, 'analytics_daily_active.subject_id'))
  }
  const [type, id] = lecturer ? ['lecturer', lecturer.id] : ['school', database.schoolId]
  return lines.where('subject_type', '=', type).where((line) => (id === null ? line.lit(false) : line('subject_id', '=', id)))
}

/** Reports distinct learners of one day, of seven days and of 28 days, as of the last day. */
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
