import { addMonths, type Day, firstOfMonth } from '../../../base/days.ts'
import { dayValue, percent } from '../figures.ts'
import type { ReportRequest } from '../report.ts'

/** Returns how many of the learners who first came in a month came in each month since, for the last months up to this one. */
export async function retention({ database, lecturer, today }: ReportRequest, months: number) {
  const last = firstOfMonth(today)
  const first = addMonths(last, 1 - months)
  const [type, id] = lecturer ? ['lecturer', lecturer.id] : ['school', database.schoolId]
  const rows = await database
    .selectFrom('analytics_retention')
    .select([
      'learners',
      ({ cast }) => cast<Day>('cohort', 'text').as('cohort_day'),
      ({ cast }) => cast<Day>('month', 'text').as('month_day'),
    ])
    .where('subject_type', '=', type)
    .where((line) => (id === null ? line.lit(false) : line('subject_id', '=', id)))
    .where((line) => line.between('cohort', dayValue(first), dayValue(last)))
    .where('month', '<=', dayValue(last))
    .execute()
  const learners = new Map(rows.map((row) => [`${row.cohort_day} ${row.month_day}`, row.learners]))
  const cohorts = Array.from({ length: months }, (_, index) => addMonths(first, index))
  return cohorts.flatMap((cohort, index) =>
    Array.from({ length: months - index }, (_, since) => {
      const month = addMonths(cohort, since)
      const [all = 0, active = 0] = [learners.get(`${cohort} ${cohort}`), learners.get(`${cohort} ${month}`)]
      return { cohort, month, months_since: since, learners: all, active, retention_percent: percent(active, all) }
    }),
  )
}
