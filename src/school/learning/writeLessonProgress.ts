import type { Updateable } from 'kysely'
import { newId } from '../../base/ids.ts'
import { Problem } from '../../base/problem.ts'
import type { SchoolWriter, Stored } from '../../database/connection/database.ts'
import { recordChange } from '../../database/tables/changeLog.ts'
import type { DB } from '../../gen/kysely/tables.ts'
import { countProgress, type ProgressCounts } from './countProgress.ts'
import { updateEnrollmentCounters } from './enrollmentCounters.ts'
import { lockOfEnrollment, opensAtOfEnrollment } from './enrollmentExpressions.ts'
import type { EnrollmentRow } from './enrollmentTransitions.ts'
import { issueCertificates } from './issuedCertificates.ts'

export interface ProgressContext {
  writer: SchoolWriter
  school: { id: string }
  now: Date
}

/** A lesson of the course, and the reason why it is locked for the enrolment. */
export interface LessonAccess extends Stored<'lesson', 'id' | 'kind' | 'quiz'> {
  lock: 'open' | 'not_enrolled' | 'expired' | 'drip'
  opens_at: Date | null
}

/** @throws Problem not_found if the course has no published lesson with this id */
export async function findLesson(
  { writer }: ProgressContext,
  { enrollmentId, lessonId }: { enrollmentId: string; lessonId: string },
): Promise<LessonAccess> {
  const lesson = await writer
    .selectFrom('enrollment')
    .innerJoin('lesson', 'lesson.course_id', 'enrollment.course_id')
    .select(['lesson.id', 'lesson.kind', 'lesson.quiz', lockOfEnrollment.as('lock'), opensAtOfEnrollment.as('opens_at')])
    .where('enrollment.id', '=', enrollmentId)
    .where('lesson.id', '=', lessonId)
    .where('lesson.status', '=', 'published')
    .executeTakeFirst()
  if (!lesson) throw new Problem('not_found', { description: 'The course has no published lesson with this id.' })
  return lesson
}

/**
 * Checks that a lesson is open to the enrolment. Staff and lecturers can write progress before the lesson opens.
 * @throws Problem lesson_locked
 */
export function requireUnlocked({ lock, opens_at }: LessonAccess, { isOwn }: { isOwn: boolean }): void {
  if (lock === 'open' || (lock === 'drip' && !isOwn)) return
  throw lessonLocked(lock, lock === 'drip' ? opens_at : null)
}

export const lessonLocked = (reason: string, opensAt: Date | null = null): Problem =>
  new Problem('lesson_locked', {
    details: [
      {
        code: reason,
        message: 'The lesson is locked. See lock_reason and unlocks_at.',
        meta: { lock_reason: reason, unlocks_at: opensAt === null ? null : new Date(opensAt).toISOString() },
      },
    ],
  })

/** Stores the progress in a lesson. Returns false if nothing changes. The enrolment is locked. */
export async function writeLessonProgress(
  { writer, now }: ProgressContext,
  enrollment: Pick<EnrollmentRow, 'id' | 'course_id' | 'person_id'>,
  lessonId: string,
  { completed, position_seconds }: { completed?: boolean | undefined; position_seconds?: number | undefined },
): Promise<boolean> {
  const before = await writer
    .selectFrom('lesson_progress')
    .select(['id', 'version', 'status', 'position_seconds', 'completed_at'])
    .where('enrollment_id', '=', enrollment.id)
    .where('lesson_id', '=', lessonId)
    .executeTakeFirst()
  const isCompleted = completed ?? before?.status === 'completed'
  const after = {
    status: isCompleted ? 'completed' : 'started',
    position_seconds: position_seconds ?? before?.position_seconds ?? null,
    completed_at: isCompleted ? (before?.completed_at ?? now) : null,
  } satisfies Updateable<DB['lesson_progress']>
  if (before && before.status === after.status && before.position_seconds === after.position_seconds) return false
  const id = before?.id ?? newId()
  const version = (before?.version ?? 0) + 1
  if (before) {
    await writer
      .updateTable('lesson_progress')
      .set({ ...after, version, updated_at: now })
      .where('id', '=', id)
      .execute()
  } else {
    const { id: enrollment_id, course_id, person_id } = enrollment
    await writer
      .insertInto('lesson_progress')
      .values({
        school_id: writer.schoolId,
        id,
        enrollment_id,
        lesson_id: lessonId,
        course_id,
        person_id,
        ...after,
        version,
        created_at: now,
        updated_at: now,
      })
      .execute()
  }
  const action = before ? 'updated' : 'created'
  await recordChange(writer, { type: 'lesson_progress', resource_id: id, action, version })
  return true
}

/** Stores the time of the last activity: in the enrolment, and at most once a minute in the person. Neither gets a new version. */
export async function recordActivity(
  { writer, now }: ProgressContext,
  { id, person_id }: Pick<EnrollmentRow, 'id' | 'person_id'>,
  lessonId: string,
): Promise<void> {
  await writer
    .updateTable('enrollment')
    .set((enrollment) => ({
      first_opened_at: enrollment.fn.coalesce('first_opened_at', enrollment.val(now)),
      last_activity_at: now,
      last_lesson_id: lessonId,
    }))
    .where('id', '=', id)
    .execute()
  const aMinuteAgo = new Date(now.getTime() - 60_000)
  await writer
    .updateTable('person')
    .set({ last_active_at: now })
    .where('id', '=', person_id)
    .where((person) => person.or([person('last_active_at', 'is', null), person('last_active_at', '<', aMinuteAgo)]))
    .execute()
}

/** Updates the progress counters, and issues the certificate if the enrolment is now completed. Returns the columns to write if the enrolment is now completed. */
export async function countAndComplete(
  { writer, school, now }: ProgressContext,
  row: EnrollmentRow,
): Promise<{ counts: ProgressCounts; columns: { status: string; completed_at: Date } | undefined }> {
  const counts = await countProgress(writer, { enrollmentId: row.id })
  if (!counts.is_enough || row.status !== 'active') return { counts, columns: undefined }
  const columns = { status: 'completed', completed_at: row.completed_at ?? now } satisfies Updateable<DB['enrollment']>
  await updateEnrollmentCounters(writer, [{ courseId: row.course_id, personId: row.person_id, before: row, after: columns }])
  await issueCertificates({ writer, school, now }, [{ id: row.id, version: row.version + 1 }])
  return { counts, columns }
}
