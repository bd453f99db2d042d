import type { Sql } from '../../../database/connection/sql.ts'
import { aliased, columns } from '../../../database/statements/columns.ts'
import { dayOf, has } from './rollup.ts'

const progress = aliased('lesson_progress', 'row')
const attempt = aliased('quiz_attempt', 'row')
const enrollment = aliased('enrollment')
const enrollmentRow = aliased('enrollment', 'row')
const activity = aliased('person_activity_day')

/** Rows whose times show that a person learnt something, and when they last changed. */
const traces = [
  {
    from: `${progress}`,
    course: progress.course_id,
    changedAt: progress.updated_at,
    times: [progress.created_at, progress.updated_at, progress.completed_at],
  },
  {
    from: `${attempt} JOIN ${enrollment} ON ${enrollment.school_id} = ${attempt.school_id} AND ${enrollment.id} = ${attempt.enrollment_id}`,
    course: enrollment.course_id,
    changedAt: attempt.created_at,
    times: [attempt.created_at],
  },
  {
    from: `${enrollmentRow}`,
    course: enrollmentRow.course_id,
    changedAt: `coalesce(${enrollmentRow.last_activity_at}, '-infinity'::timestamptz)`,
    times: [enrollmentRow.first_opened_at, enrollmentRow.last_activity_at, enrollmentRow.completed_at],
  },
]

export interface ActivitySpan {
  schoolId: string
  timeZone: string
  /** Rows that changed from then on, and before. */
  since: Date
  until: Date
  now: Date
}

/**
 * Adds who learnt something on which day in which course, from rows that changed in the span. Existing lines are kept: a row has only the
 * last of its times, and earlier days remain true.
 * @returns the days with new lines
 */
export async function addActivity(sql: Sql, { schoolId, timeZone, since, until, now }: ActivitySpan): Promise<string[]> {
  const parts = traces.map(
    ({ from, course, changedAt, times }) =>
      `SELECT ${dayOf('happened.at')} AS day, ${course} AS course_id, ${progress.person_id}
         FROM ${from}, unnest(ARRAY[${times.join(', ')}]) AS happened (at)
        WHERE ${progress.school_id} = $1::uuid AND ${has(changedAt)} AND ${changedAt} >= $3::timestamptz AND ${changedAt} < $4::timestamptz
          AND happened.at <= $5::timestamptz`,
  )
  const days = await sql.query<{ day: string }>(
    `WITH added AS (
       INSERT INTO ${activity} (${columns('person_activity_day', ['school_id', 'day', 'course_id', 'person_id'])})
       SELECT DISTINCT $1::uuid, day, course_id, person_id FROM (${parts.join(' UNION ALL ')}) AS active
       ON CONFLICT DO NOTHING RETURNING day)
     SELECT DISTINCT day::text FROM added ORDER BY 1`,
    [schoolId, timeZone, since, until, now],
  )
  return days.map(({ day }) => day)
}

/** When the first of these rows changed. */
export async function firstTrace(sql: Sql, schoolId: string): Promise<Date | undefined> {
  const parts = traces.map(
    ({ from, changedAt }) => `SELECT min(${changedAt}) AS first FROM ${from} WHERE ${progress.school_id} = $1::uuid AND ${has(changedAt)}`,
  )
  const [row] = await sql.query<{ first: Date | null }>(`SELECT min(first) AS first FROM (${parts.join(' UNION ALL ')}) AS firsts`, [
    schoolId,
  ])
  return row?.first ?? undefined
}
