import { newId } from '../../lib/ids.ts'
import { Problem } from '../../lib/problem.ts'
import { recordChange } from '../../store/changeLog.ts'
import { lockOfEnrollment, opensAtOfEnrollment } from '../../store/enrollmentExpressions.ts'
import type { Sql } from '../../store/sql.ts'
import { countProgress, type ProgressCounts } from './countProgress.ts'
import { updateEnrollmentCounters } from './enrollmentCounters.ts'
import type { EnrollmentRow } from './enrollmentTransitions.ts'

export interface ProgressContext {
  sql: Sql
  school: { id: string }
  now: Date
}

/** One lesson, as far as somebody has got in it. */
export interface LessonProgress {
  lesson_id: string
  status: 'not_started' | 'started' | 'completed'
  position_seconds: number | null
  completed_at: Date | null
}

/** A lesson of the course, and why it is closed to who has the enrolment. */
export interface LessonAccess {
  id: string
  kind: string
  quiz: unknown
  lock: 'open' | 'not_enrolled' | 'expired' | 'drip'
  opens_at: Date | null
}

/** @throws Problem not_found where the course shows no such lesson */
export async function findLesson(
  { sql, school }: ProgressContext,
  { enrollmentId, lessonId }: { enrollmentId: string; lessonId: string },
): Promise<LessonAccess> {
  const [lesson] = await sql.query<LessonAccess>(
    `SELECT lesson.id, lesson.kind, lesson.quiz, ${lockOfEnrollment} AS lock, ${opensAtOfEnrollment} AS opens_at
       FROM enrollment JOIN lesson ON lesson.school_id = enrollment.school_id AND lesson.course_id = enrollment.course_id
      WHERE enrollment.school_id = $1 AND enrollment.id = $2 AND lesson.id = $3 AND lesson.status = 'published'`,
    [school.id, enrollmentId, lessonId],
  )
  if (!lesson) throw new Problem('not_found', { description: 'The course has no such lesson.' })
  return lesson
}

/** @throws Problem lesson_locked. Those who teach may be ahead of the time at which a lesson opens. */
export function requireUnlocked({ lock, opens_at }: LessonAccess, { isOwn }: { isOwn: boolean }): void {
  if (lock === 'open' || (lock === 'drip' && !isOwn)) return
  throw lessonLocked(lock, lock === 'drip' ? opens_at : null)
}

export const lessonLocked = (reason: string, opensAt: Date | null = null): Problem =>
  new Problem('lesson_locked', {
    details: [
      {
        code: reason,
        message: 'lock_reason says why.',
        meta: { lock_reason: reason, unlocks_at: opensAt === null ? null : new Date(opensAt).toISOString() },
      },
    ],
  })

interface Stored {
  id: string
  version: number
  status: 'started' | 'completed'
  position_seconds: number | null
  completed_at: Date | null
}

/** Notes how far somebody has got in a lesson. Undefined where that is known already. The enrolment is locked. */
export async function writeLessonProgress(
  { sql, school, now }: ProgressContext,
  enrollment: Pick<EnrollmentRow, 'id' | 'course_id' | 'person_id'>,
  lessonId: string,
  { completed, position_seconds }: { completed?: boolean | undefined; position_seconds?: number | undefined },
): Promise<boolean> {
  const [before] = await sql.query<Stored>(
    `SELECT id, version, status, position_seconds, completed_at FROM lesson_progress
      WHERE school_id = $1 AND enrollment_id = $2 AND lesson_id = $3`,
    [school.id, enrollment.id, lessonId],
  )
  const isCompleted = completed ?? before?.status === 'completed'
  const after = {
    status: isCompleted ? 'completed' : 'started',
    position_seconds: position_seconds ?? before?.position_seconds ?? null,
    completed_at: isCompleted ? (before?.completed_at ?? now) : null,
  }
  if (before && before.status === after.status && before.position_seconds === after.position_seconds) return false
  const id = before?.id ?? newId()
  const version = (before?.version ?? 0) + 1
  await sql.query(
    before
      ? `UPDATE lesson_progress SET status = $3, position_seconds = $4, completed_at = $5, version = $6, updated_at = $7
          WHERE school_id = $1 AND id = $2`
      : `INSERT INTO lesson_progress (school_id, id, status, position_seconds, completed_at, version, created_at, updated_at,
                                      enrollment_id, lesson_id, course_id, person_id)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $8, $9, $10, $11)`,
    [
      ...[school.id, id, after.status, after.position_seconds, after.completed_at, version, now],
      ...(before ? [] : [enrollment.id, lessonId, enrollment.course_id, enrollment.person_id]),
    ],
  )
  const action = before ? 'updated' : 'created'
  await recordChange(sql, { school_id: school.id, type: 'lesson_progress', resource_id: id, action, version })
  return true
}

/** Notes that somebody was at it: in the enrolment, and once a minute in the person. Neither is a new version. */
export async function recordActivity(
  { sql, school, now }: ProgressContext,
  { id, person_id }: Pick<EnrollmentRow, 'id' | 'person_id'>,
  lessonId: string,
): Promise<void> {
  await sql.query(
    `UPDATE enrollment SET first_opened_at = coalesce(first_opened_at, $3), last_activity_at = $3, last_lesson_id = $4
      WHERE school_id = $1 AND id = $2`,
    [school.id, id, now, lessonId],
  )
  await sql.query(
    `UPDATE person SET last_active_at = $3
      WHERE school_id = $1 AND id = $2 AND (last_active_at IS NULL OR last_active_at < $3::timestamptz - interval '1 minute')`,
    [school.id, person_id, now],
  )
}

/** Counts what is done; the columns that follow where that completes the course. */
export async function countAndComplete(
  { sql, school, now }: ProgressContext,
  row: EnrollmentRow,
): Promise<{ counts: ProgressCounts; columns: { status: string; completed_at: Date } | undefined }> {
  const counts = await countProgress(sql, { schoolId: school.id, enrollmentId: row.id })
  if (!counts.is_enough || row.status !== 'active') return { counts, columns: undefined }
  const columns = { status: 'completed', completed_at: row.completed_at ?? now }
  await updateEnrollmentCounters(sql, school.id, [{ courseId: row.course_id, personId: row.person_id, before: row, after: columns }])
  return { counts, columns }
}
