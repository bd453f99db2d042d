import { newId } from '../../lib/ids.ts'
import { Problem } from '../../lib/problem.ts'
import type { PersonCaller } from '../../policy/caller.ts'
import type { ChangeAction } from '../../store/changeActions.ts'
import { recordChange } from '../../store/changeLog.ts'
import type { Sql } from '../../store/sql.ts'
import type { EnrollmentRow } from './enrollmentTransitions.ts'
import { type Answer, quizAnswerErrors, type StoredQuiz, scoreQuiz } from './scoreQuiz.ts'
import {
  countAndComplete,
  findLesson,
  lessonLocked,
  type ProgressContext,
  recordActivity,
  requireUnlocked,
  writeLessonProgress,
} from './writeLessonProgress.ts'

interface Attempting extends ProgressContext {
  caller: PersonCaller
  parent?: { id: string; course_id?: unknown } | undefined
}

/**
 * Tries the quiz of a lesson, for oneself: the answers are scored and kept, and passing completes the lesson. The lesson is locked, and
 * with it the number of the attempt.
 * @throws Problem lesson_locked, invalid_state for a lesson that is no quiz, validation_failed, attempts_exhausted
 */
export async function attemptQuiz(context: Attempting, answers: readonly Answer[]): Promise<{ id: string; action: ChangeAction }> {
  const { sql, school, now, caller } = context
  const lessonId = context.parent?.id as string
  const row = await lockOwnEnrollment(sql, { schoolId: school.id, personId: caller.personId, courseId: String(context.parent?.course_id) })
  if (!row) throw lessonLocked('not_enrolled')
  const lesson = await findLesson(context, { enrollmentId: row.id, lessonId })
  const quiz = lesson.quiz as StoredQuiz | null
  const fieldErrors = quiz ? quizAnswerErrors(quiz, answers) : []
  if (fieldErrors.length > 0)
    throw new Problem('validation_failed', { description: 'The answers are not valid. See details.', details: fieldErrors })
  requireUnlocked(lesson, { isOwn: true })
  if (!quiz) throw new Problem('invalid_state', { description: 'The lesson has no quiz.' })
  const [last] = await sql.query<{ attempt_no: number }>(
    'SELECT coalesce(max(attempt_no), 0) AS attempt_no FROM quiz_attempt WHERE school_id = $1 AND enrollment_id = $2 AND lesson_id = $3',
    [school.id, row.id, lessonId],
  )
  const attemptNo = (last?.attempt_no ?? 0) + 1
  if (quiz.max_attempts !== null && attemptNo > quiz.max_attempts) {
    throw new Problem('attempts_exhausted', {
      details: [{ code: 'attempts_exhausted', message: 'Every attempt is used up.', meta: { max_attempts: quiz.max_attempts } }],
    })
  }
  const score = scoreQuiz(quiz, answers)
  const id = newId()
  await sql.query(
    `INSERT INTO quiz_attempt (school_id, id, enrollment_id, lesson_id, person_id, attempt_no, score_bps, passed, answers, created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)`,
    [school.id, id, row.id, lessonId, row.person_id, attemptNo, score.bps, score.isPassed, JSON.stringify(answers), now],
  )
  await writeLessonProgress(context, row, lessonId, score.isPassed ? { completed: true } : {})
  await recordActivity(context, row, lessonId)
  await completeWhereEnough(context, row)
  return { id, action: 'created' }
}

/** Notes a completion that follows from something else than a change of the enrolment itself. */
async function completeWhereEnough(context: ProgressContext, row: EnrollmentRow & { version: number }): Promise<void> {
  const { sql, school, now } = context
  const { columns } = await countAndComplete(context, row)
  if (!columns) return
  const version = row.version + 1
  await sql.query('UPDATE enrollment SET status = $3, completed_at = $4, version = $5, updated_at = $6 WHERE school_id = $1 AND id = $2', [
    ...[school.id, row.id, columns.status, columns.completed_at, version, now],
  ])
  await recordChange(sql, { school_id: school.id, type: 'enrollment', resource_id: row.id, action: 'completed', version })
}

async function lockOwnEnrollment(
  sql: Sql,
  { schoolId, personId, courseId }: { schoolId: string; personId: string | null; courseId: string },
): Promise<(EnrollmentRow & { version: number }) | undefined> {
  const [row] = await sql.query<EnrollmentRow & { version: number }>(
    'SELECT * FROM enrollment WHERE school_id = $1 AND course_id = $2 AND person_id = $3 FOR UPDATE',
    [schoolId, courseId, personId],
  )
  return row
}
