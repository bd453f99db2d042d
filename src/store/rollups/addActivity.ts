import type { Sql } from '../sql.ts'
import { dayOf, has } from './rollup.ts'

/** Rows whose times say that a person learnt something, told apart by when they last changed. */
const traces = [
  {
    from: 'lesson_progress AS row',
    course: 'row.course_id',
    changedAt: 'row.updated_at',
    times: ['row.created_at', 'row.updated_at', 'row.completed_at'],
  },
  {
    from: 'quiz_attempt AS row JOIN enrollment ON enrollment.school_id = row.school_id AND enrollment.id = row.enrollment_id',
    course: 'enrollment.course_id',
    changedAt: 'row.created_at',
    times: ['row.created_at'],
  },
  {
    from: 'enrollment AS row',
    course: 'row.course_id',
    changedAt: `coalesce(row.last_activity_at, '-infinity'::timestamptz)`,
    times: ['row.first_opened_at', 'row.last_activity_at', 'row.completed_at'],
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
 * Takes over who learnt something on which day in which course, from rows that changed in the span. What is there stays: a row keeps
 * the last of its times only, and the days before were real.
 * @returns the days that have somebody new
 */
export async function addActivity(sql: Sql, { schoolId, timeZone, since, until, now }: ActivitySpan): Promise<string[]> {
  const parts = traces.map(
    ({ from, course, changedAt, times }) =>
      `SELECT ${dayOf('happened.at')} AS day, ${course} AS course_id, row.person_id
         FROM ${from}, unnest(ARRAY[${times.join(', ')}]) AS happened (at)
        WHERE row.school_id = $1::uuid AND ${has(changedAt)} AND ${changedAt} >= $3::timestamptz AND ${changedAt} < $4::timestamptz
          AND happened.at <= $5::timestamptz`,
  )
  const days = await sql.query<{ day: string }>(
    `WITH added AS (
       INSERT INTO person_activity_day (school_id, day, course_id, person_id)
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
    ({ from, changedAt }) => `SELECT min(${changedAt}) AS first FROM ${from} WHERE row.school_id = $1::uuid AND ${has(changedAt)}`,
  )
  const [row] = await sql.query<{ first: Date | null }>(`SELECT min(first) AS first FROM (${parts.join(' UNION ALL ')}) AS firsts`, [
    schoolId,
  ])
  return row?.first ?? undefined
}
