import type { Sql } from '../../../database/connection/sql.ts'
import { aliased, type TableName } from '../../../database/statements/columns.ts'
import { begins, type Days, ends, freshFigures, type Rollup } from './rollup.ts'

const activity = aliased('person_activity_day', 'activity')
const taught = aliased('course_lecturer')

/** How many days the longest of the windows looks back. */
export const longestWindowDays = 28

/**
 * Distinct learners of each day and of the 7 and 28 days that end with it: of the school, of each course, and of all courses of each
 * lecturer together. They do not add up over days, so each day has its own.
 */
export const recomputeActive = (sql: Sql, days: Days): Promise<number> =>
  replaceFigures(
    sql,
    {
      table: 'analytics_daily_active',
      keys: ['subject_type', 'subject_id'],
      measures: ['daily_active', 'weekly_active', 'monthly_active'],
      fresh: `
        SELECT days.day, counted.*
          FROM (SELECT generate_series($3::date, $4::date, interval '1 day')::date AS day) AS days
         CROSS JOIN LATERAL (
           SELECT subject_type, subject_id,
                  count(*) FILTER (WHERE last = days.day) AS daily_active,
                  count(*) FILTER (WHERE last > days.day - 7) AS weekly_active,
                  count(*) AS monthly_active
             FROM (SELECT subject.type AS subject_type, subject.id AS subject_id, ${activity.person_id}, max(${activity.day}) AS last
                     FROM ${activity}, ${subjects}
                    WHERE ${activity.school_id} = $1::uuid AND ${activity.day} BETWEEN days.day - ${longestWindowDays - 1} AND days.day
                    GROUP BY 1, 2, 3) AS seen
            GROUP BY 1, 2) AS counted
         WHERE days.day <= ($5::timestamptz AT TIME ZONE $2::text)::date`,
    },
    days,
  )

/** The school, the course and the lecturers for which the activity in a course counts. */
const subjects = `LATERAL (
  SELECT 'school' AS type, ${activity.school_id} AS id
  UNION ALL SELECT 'course', ${activity.course_id}
  UNION ALL SELECT 'lecturer', ${taught.lecturer_id} FROM ${taught}
             WHERE ${taught.school_id} = ${activity.school_id} AND ${taught.course_id} = ${activity.course_id}) AS subject`

/** Returns a digest of the lecturers of all courses: after a change, the figures of lecturers change on every day. */
export async function lecturersDigest(sql: Sql, schoolId: string): Promise<string> {
  const [row] = await sql.query<{ digest: string }>(
    `SELECT md5(coalesce(string_agg(${taught.course_id}::text || ${taught.lecturer_id}::text, ',' ORDER BY ${taught.course_id}, ${taught.lecturer_id}), '')) AS digest
       FROM ${taught} WHERE ${taught.school_id} = $1`,
    [schoolId],
  )
  return row?.digest ?? ''
}

/**
 * Computes the figures of these days from their rows: adds, changes and removes lines of figures. Repeating it has no effect.
 * @returns how many lines of figures were written or removed
 */
export function recompute(sql: Sql, rollup: Rollup, days: Days): Promise<number> {
  return replaceFigures(sql, { ...rollup, fresh: freshFigures(rollup) }, days)
}

/** Does the same for figures that are not sums over rows: `fresh` selects `day`, the keys and the measures. */
async function replaceFigures(
  sql: Sql,
  { table, keys, measures, fresh }: Pick<Rollup, 'keys' | 'measures'> & { table: TableName; fresh: string },
  { schoolId, timeZone, first, last, now }: Days,
): Promise<number> {
  const key = ['day', ...keys]
  const own = (prefix: string, names: readonly string[]): string => names.map((name) => `${prefix}.${name}`).join(', ')
  const [row] = await sql.query<{ changed: number }>(
    // A value that a statement does not use would have no type: `given` uses all of them.
    `WITH given AS (SELECT ${begins} AS begins, ${ends} AS ends, $5::timestamptz AS now),
          fresh AS MATERIALIZED (${fresh}),
          written AS (
            INSERT INTO ${table} (school_id, ${key.join(', ')}, ${measures.join(', ')})
            SELECT $1::uuid, ${own('fresh', key)}, ${own('fresh', measures)} FROM fresh
            ON CONFLICT (school_id, ${key.join(', ')}) DO UPDATE
               SET ${measures.map((measure) => `${measure} = excluded.${measure}`).join(', ')}
             WHERE (${own(table, measures)}) IS DISTINCT FROM (${own('excluded', measures)})
            RETURNING 1),
          gone AS (
            DELETE FROM ${table} WHERE school_id = $1::uuid AND day BETWEEN $3::date AND $4::date
               AND NOT EXISTS (SELECT FROM fresh WHERE ${key.map((name) => `fresh.${name} = ${table}.${name}`).join(' AND ')})
            RETURNING 1)
     SELECT ((SELECT count(*) FROM written) + (SELECT count(*) FROM gone))::int AS changed`,
    [schoolId, timeZone, first, last, now],
  )
  return row?.changed ?? 0
}
