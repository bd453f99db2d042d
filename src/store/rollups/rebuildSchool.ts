import { type Day, dayIn } from '../../lib/days.ts'
import type { Database } from '../database.ts'
import type { Sql } from '../sql.ts'
import { firstDay } from './firstDay.ts'
import { type Refreshing, refreshSchool } from './refreshSchool.ts'
import { readState, writeState } from './rollupState.ts'

/**
 * Computes the figures of a school again, of all its days or of those between two. Rows that came with old times, from a copy or an
 * import, are found by nothing else. Activity that rows no longer tell of stays.
 * @returns how many lines of figures changed
 */
export async function rebuildSchool(
  database: Database,
  { schoolId, now, from, to, onProgress }: Refreshing & { from?: Day | undefined; to?: Day | undefined },
): Promise<number> {
  const { state, timeZone } = await readState(database.sql, schoolId)
  const today = dayIn(timeZone, now)
  if (state?.timeZone === timeZone) {
    const start = await firstDay(database.sql, { schoolId, timeZone, today, now })
    await database.transaction(async (_writer, sql) => {
      await sql.query(
        `INSERT INTO analytics_dirty (school_id, day)
         SELECT $1::uuid, day::date FROM generate_series(greatest($2::date, $4::date), least($3::date, $5::date), interval '1 day') AS day
         ON CONFLICT DO NOTHING`,
        [schoolId, from ?? start, to ?? today, start, today],
      )
      const isWhole = from === undefined && to === undefined
      await writeState(sql, { ...state, activityThrough: undefined, closedThrough: isWhole ? undefined : state.closedThrough })
    })
  }
  return await refreshSchool(database, { schoolId, now, onProgress })
}

/** Has the next run look at every row again: for whoever adds many with old times. */
export async function countAgain(sql: Sql, schoolId: string): Promise<void> {
  await sql.query('UPDATE analytics_state SET activity_through = NULL, closed_through = NULL WHERE school_id = $1', [schoolId])
}
