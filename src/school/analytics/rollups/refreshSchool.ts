import { addDays, type Day, dayIn, daysBetween, daysFrom, spansOf } from '../../../base/days.ts'
import type { Database, Reader } from '../../../database/connection/database.ts'
import type { Sql } from '../../../database/connection/sql.ts'
import { aliased, columns } from '../../../database/statements/columns.ts'
import { addActivity, firstTrace } from './addActivity.ts'
import { dirtyDays, markChangedDays, markSpan, markWindows, unmarkDays } from './dirtyDays.ts'
import { firstDay } from './firstDay.ts'
import { lecturersDigest, longestWindowDays, recompute, recomputeActive } from './recomputeActive.ts'
import { type AnalyticsState, forgetFigures, readState, writeState } from './rollupState.ts'
import { rollups } from './rollups.ts'

/** How many days are computed before the progress is stored: an interrupted run continues after them. */
const blockDays = 92
/**
 * How many days one statement computes, in a separate transaction. The embedded database has one session, and every request waits
 * for the running statement.
 */
const statementDays = { embedded: 31, postgresql: blockDays }
/** The time of a change precedes its commit: rows of the last minutes are read again. */
const overlapMs = 15 * 60_000
const activityBlockMs = 7 * 86_400_000

interface Refreshing {
  schoolId: string
  now: Date
  /** Number of computed days, and of all days. */
  onProgress?: ((progress: { done: number; of: number }) => void) | undefined
}

/**
 * Brings the figures of a school up to date: days that were never computed, days on which rows changed since the last time, and today.
 * Once a day, after midnight in the school's zone, every day is recomputed. Each statement is a separate transaction and can be repeated:
 * an interrupted run continues with the first block of days that was not completed. Must not run twice at the same time for one
 * school.
 * @returns how many lines of figures changed
 */
export async function refreshSchool(database: Database, { schoolId, now, onProgress }: Refreshing): Promise<number> {
  const sql = database.sql
  const before = await stateOf(database.kysely, schoolId)
  const { timeZone } = before
  const today = dayIn(timeZone, now)
  const digest = await lecturersDigest(sql, schoolId)
  const state = await takeActivity(database, before, { now, today })
  if (state.asOf) {
    await markChangedDays(sql, { schoolId, timeZone, since: new Date(state.asOf.getTime() - overlapMs), today, now })
  }
  const yesterday = addDays(today, -1)
  const isNight = state.closedThrough === undefined || state.closedThrough < yesterday
  const areLecturersNew = state.daysThrough !== undefined && state.lecturersDigest !== digest
  const isEveryDay = isNight || areLecturersNew || state.daysThrough === undefined
  const start = isEveryDay ? await firstDay(sql, { schoolId, timeZone, today, now }) : today
  // The last computed day was still in progress, so compute it again.
  const open = state.daysThrough ?? start
  const marked = await dirtyDays(sql, schoolId)
  const days = [...new Set([...marked, ...daysFrom(start, today), ...daysFrom(open, today)])].toSorted()
  const due = new Set(marked)
  const isActiveDue = (day: Day): boolean => areLecturersNew || day >= open || due.has(day)

  let changed = 0
  let done = 0
  for (const span of spansOf(days, blockDays)) {
    changed += await computeBlock(database, { state, span, open, now, isActiveDue })
    done += daysBetween(span.first, span.last) + 1
    onProgress?.({ done, of: days.length })
  }
  if (isNight || areLecturersNew) {
    await database.transaction((_writer, inside) => recomputeLessons(inside, schoolId))
    await database.transaction((_writer, inside) => recomputeRetention(inside, schoolId))
  }
  const closedThrough = isNight ? yesterday : state.closedThrough
  await writeState(database.kysely, { ...state, daysThrough: today, asOf: now, lecturersDigest: digest, closedThrough })
  return changed
}

interface Block {
  state: AnalyticsState
  span: { first: Day; last: Day }
  /** The first day that is not over or was never computed. */
  open: Day
  now: Date
  isActiveDue(day: Day): boolean
}

async function computeBlock({ kind, sql, kysely }: Database, { state, span, open, now, isActiveDue }: Block): Promise<number> {
  const { schoolId, timeZone } = state
  const days = daysFrom(span.first, span.last)
  const most = statementDays[kind]
  let lines = 0
  for (const part of spansOf(days, most)) {
    for (const rollup of rollups) lines += await recompute(sql, rollup, { schoolId, timeZone, ...part, now })
  }
  for (const active of spansOf(days.filter(isActiveDue), most)) {
    lines += await recomputeActive(sql, { schoolId, timeZone, ...active, now })
  }
  // Last, so that an interrupted block is computed again.
  await unmarkDays(sql, schoolId, span)
  if (span.last >= open) await writeState(kysely, { ...state, daysThrough: span.last })
  return lines
}

/**
 * Returns the stored state. Returns an empty state if there is none, or if the school's time zone has changed since: every day then has
 * other boundaries.
 */
async function stateOf(kysely: Reader, schoolId: string): Promise<AnalyticsState> {
  const { state, timeZone } = await readState(kysely, schoolId)
  if (state?.timeZone === timeZone) return state
  if (state) await forgetFigures(kysely, schoolId)
  return { schoolId, timeZone, lecturersDigest: '' }
}

/** Takes over the activity of rows that changed since the last time, a week at a time, and marks the days in whose windows it lies. */
async function takeActivity(
  database: Database,
  before: AnalyticsState,
  { now, today }: { now: Date; today: Day },
): Promise<AnalyticsState> {
  const { schoolId, timeZone, activityThrough } = before
  const end = now.getTime() + 1
  let state = before
  let since = activityThrough ? activityThrough.getTime() - overlapMs : (await firstTrace(database.sql, schoolId))?.getTime()
  while (since !== undefined && since < end) {
    const span = { since: new Date(since), until: new Date(Math.min(since + activityBlockMs, end)) }
    state = { ...state, activityThrough: span.until }
    const next = state
    await database.transaction(async (writer, sql) => {
      const days = await addActivity(sql, { schoolId, timeZone, ...span, now })
      await markWindows(sql, { schoolId, days, windowDays: longestWindowDays, before: today })
      await writeState(writer, next)
    })
    since = span.until.getTime()
  }
  return state
}

const progress = aliased('lesson_progress')
const lessons = aliased('analytics_lesson')
const retention = aliased('analytics_retention')
const activity = aliased('person_activity_day', 'activity')
const taught = aliased('course_lecturer')

/** Computes how far learners get, lesson by lesson: all of them, from the beginning. */
async function recomputeLessons(sql: Sql, schoolId: string): Promise<void> {
  await sql.query(`DELETE FROM ${lessons} WHERE ${lessons.school_id} = $1`, [schoolId])
  const written = columns('analytics_lesson', ['school_id', 'course_id', 'lesson_id', 'opened', 'completed', 'median_seconds'])
  const key = `${progress.school_id}, ${progress.course_id}, ${progress.lesson_id}`
  await sql.query(
    `INSERT INTO ${lessons} (${written})
     SELECT ${key}, count(*), count(${progress.completed_at}),
            percentile_disc(0.5) WITHIN GROUP (ORDER BY greatest(0, extract(epoch FROM ${progress.completed_at} - ${progress.created_at})))
              FILTER (WHERE ${progress.completed_at} IS NOT NULL)
       FROM ${progress} WHERE ${progress.school_id} = $1 GROUP BY ${key}`,
    [schoolId],
  )
}

/**
 * Computes how many learners of each month of first activity came in each month since: of the school, and of all courses of each lecturer
 * together.
 */
async function recomputeRetention(sql: Sql, schoolId: string): Promise<void> {
  await sql.query(`DELETE FROM ${retention} WHERE ${retention.school_id} = $1`, [schoolId])
  const written = columns('analytics_retention', ['school_id', 'subject_type', 'subject_id', 'cohort', 'month', 'learners'])
  await sql.query(
    `INSERT INTO ${retention} (${written})
     SELECT $1::uuid, type, id, cohort, month, count(*)
       FROM (SELECT type, id, month, min(month) OVER (PARTITION BY type, id, learner) AS cohort
               FROM (SELECT 'school' AS type, ${activity.school_id} AS id, ${activity.person_id} AS learner, date_trunc('month', ${activity.day})::date AS month
                       FROM ${activity} WHERE ${activity.school_id} = $1::uuid GROUP BY 2, 3, 4
                      UNION ALL
                     SELECT 'lecturer', ${taught.lecturer_id}, ${activity.person_id}, date_trunc('month', ${activity.day})::date
                       FROM ${activity}
                       JOIN ${taught} ON ${taught.school_id} = ${activity.school_id} AND ${taught.course_id} = ${activity.course_id}
                      WHERE ${activity.school_id} = $1::uuid GROUP BY 2, 3, 4) AS months) AS cohorts
      GROUP BY type, id, cohort, month`,
    [schoolId],
  )
}

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
