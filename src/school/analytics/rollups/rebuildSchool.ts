import { type Day, dayIn } from '../../../base/days.ts'
import type { Database, Reader } from '../../../database/connection/database.ts'
import { markSpan } from './dirtyDays.ts'
import { firstDay } from './firstDay.ts'
import { type Refreshing, refreshSchool } from './refreshSchool.ts'
import { readState, writeState } from './rollupState.ts'

/**
 * Computes the figures of a school again, for all days or for a period. Only this finds rows that were added with old times, by a copy
 * or an import. Activity whose rows were deleted stays counted.
 * @returns how many lines of figures changed
 */
export async function rebuildSchool(
  database: Database,
  { schoolId, now, from, to, onProgress }: Refreshing & { from?: Day | undefined; to?: Day | undefined },
): Promise<number> {
  const { state, timeZone } = await readState(database.kysely, schoolId)
  const today = dayIn(timeZone, now)
  if (state?.timeZone === timeZone) {
    const start = await firstDay(database.sql, { schoolId, timeZone, today, now })
    await database.transaction(async (writer, sql) => {
      await markSpan(sql, schoolId, { first: later(from ?? start, start), last: earlier(to ?? today, today) })
      const isWhole = from === undefined && to === undefined
      await writeState(writer, { ...state, activityThrough: undefined, closedThrough: isWhole ? undefined : state.closedThrough })
    })
  }
  return await refreshSchool(database, { schoolId, now, onProgress })
}

/** Makes the next run read every row again: for code that adds many rows with old times. */
export async function countAgain(db: Reader, schoolId: string): Promise<void> {
  await db.updateTable('analytics_state').set({ activity_through: null, closed_through: null }).where('school_id', '=', schoolId).execute()
}

const later = (one: Day, other: Day): Day => (one > other ? one : other)
const earlier = (one: Day, other: Day): Day => (one < other ? one : other)
