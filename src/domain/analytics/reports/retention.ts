import { addMonths, type Day, firstOfMonth } from '../../../lib/days.ts'
import { percent } from '../figures.ts'
import type { Asked } from '../report.ts'

interface CohortRow {
  cohort: Day
  month: Day
  learners: number
}

/** Of those who were first there in a month, how many were there in each month since. The last months up to this one. */
export async function retention({ sql, schoolId, lecturer, today }: Asked, months: number) {
  const last = firstOfMonth(today)
  const first = addMonths(last, 1 - months)
  const [type, id] = lecturer ? ['lecturer', lecturer.id] : ['school', schoolId]
  const rows = await sql.query<CohortRow>(
    `SELECT cohort::text, month::text, learners FROM analytics_retention
      WHERE school_id = $1::uuid AND subject_type = $2 AND subject_id = $3::uuid AND cohort BETWEEN $4::date AND $5::date AND month <= $5::date`,
    [schoolId, type, id, first, last],
  )
  const learners = new Map(rows.map((row) => [`${row.cohort} ${row.month}`, row.learners]))
  const cohorts = Array.from({ length: months }, (_, index) => addMonths(first, index))
  return cohorts.flatMap((cohort, index) =>
    Array.from({ length: months - index }, (_, since) => {
      const month = addMonths(cohort, since)
      const [all = 0, active = 0] = [learners.get(`${cohort} ${cohort}`), learners.get(`${cohort} ${month}`)]
      return { cohort, month, months_since: since, learners: all, active, retention_percent: percent(active, all) }
    }),
  )
}
