import { sql } from 'kysely'
import type { Caller, PersonCaller } from '../../base/caller.ts'
import { newId } from '../../base/ids.ts'
import { Problem } from '../../base/problem.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { refs } from '../../database/statements/columns.ts'
import type { Builder } from '../../database/statements/expressions.ts'
import type { ChangeAction } from '../../database/tables/changeActions.ts'
import { recordChange } from '../../database/tables/changeLog.ts'
import { mayReadBody } from '../curriculum/tree.ts'
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

interface AttemptContext extends ProgressContext {
  caller: PersonCaller
  parent?: { id: string; course_id?: unknown } | undefined
}

/**
 * Stores and scores the caller's attempt at the quiz of a lesson; a passed quiz completes the lesson. The lock on the lesson makes the
 * numbers of the attempts unique.
 * @throws Problem lesson_locked, invalid_state for a lesson without a quiz, validation_failed, attempts_exhausted
 */
export async function attemptQuiz(context: AttemptContext, answers: readonly Answer[]): Promise<{ id: string; action: ChangeAction }> {
  const { writer, now, caller, parent } = context
  if (!parent) throw new Error('attemptQuiz needs the lesson')
  const lessonId = parent.id
  const row = await lockOwnEnrollment(writer, { personId: caller.personId, courseId: String(parent.course_id) })
  if (!row) throw lessonLocked('not_enrolled')
  const lesson = await findLesson(context, { enrollmentId: row.id, lessonId })
  const quiz = lesson.quiz as StoredQuiz | null
  const fieldErrors = quiz ? quizAnswerErrors(quiz, answers) : []
  if (fieldErrors.length > 0)
    throw new Problem('validation_failed', { description: 'The answers are not valid. See details.', details: fieldErrors })
  requireUnlocked(lesson, { isOwn: true })
  if (!quiz) throw new Problem('invalid_state', { description: 'The lesson has no quiz.' })
  const last = await writer
    .selectFrom('quiz_attempt')
    .select((attempt) => attempt.fn.max('attempt_no').as('attempt_no'))
    .where('enrollment_id', '=', row.id)
    .where('lesson_id', '=', lessonId)
    .executeTakeFirst()
  const attemptNo = (last?.attempt_no ?? 0) + 1
  if (quiz.max_attempts !== null && attemptNo > quiz.max_attempts) {
    throw new Problem('attempts_exhausted', {
      details: [{ code: 'attempts_exhausted', message: 'All attempts have been used.', meta: { max_attempts: quiz.max_attempts } }],
    })
  }
  const score = scoreQuiz(quiz, answers)
  const id = newId()
  await writer
    .insertInto('quiz_attempt')
    .values({
      school_id: writer.schoolId,
      id,
      enrollment_id: row.id,
      lesson_id: lessonId,
      person_id: row.person_id,
      attempt_no: attemptNo,
      score_bps: score.bps,
      passed: score.isPassed,
      answers: JSON.stringify(answers),
      results: JSON.stringify(score.results),
      created_at: now,
      updated_at: now,
    })
    .execute()
  await writeLessonProgress(context, row, lessonId, score.isPassed ? { completed: true } : {})
  await recordActivity(context, row, lessonId)
  await completeIfEnough(context, row)
  return { id, action: 'created' }
}

async function completeIfEnough(context: ProgressContext, row: EnrollmentRow & { version: number }): Promise<void> {
  const { writer, now } = context
  const { columns } = await countAndComplete(context, row)
  if (!columns) return
  const version = row.version + 1
  await writer
    .updateTable('enrollment')
    .set({ ...columns, version, updated_at: now })
    .where('id', '=', row.id)
    .execute()
  await recordChange(writer, { type: 'enrollment', resource_id: row.id, action: 'completed', version })
}

async function lockOwnEnrollment(
  writer: SchoolWriter,
  { personId, courseId }: { personId: string | null; courseId: string },
): Promise<(EnrollmentRow & { version: number }) | undefined> {
  return await writer
    .selectFrom('enrollment')
    .select(['id', 'version', 'person_id', 'course_id', 'status', 'status_before', 'expires_at', 'completed_at'])
    .where('course_id', '=', courseId)
    .where('person_id', '=', personId)
    .forUpdate()
    .executeTakeFirst()
}

const lesson = refs('lesson')

export interface Explanation {
  question_id: string
  explanation: string
}

/**
 * Selects the questions of an attempt's quiz, with their explanations, if the setting of the quiz shows these to the student now;
 * otherwise null. A caller who cannot read the lesson any more gets none.
 */
export const explainedQuestionsOf = (rows: Builder<'quiz_attempt'>, caller: Caller) =>
  rows
    .selectFrom('lesson')
    .select(sql<StoredQuiz['questions'] | null>`${lesson.quiz} -> 'questions'`.as('questions'))
    .whereRef('lesson.id', '=', 'quiz_attempt.lesson_id')
    .where((lessons) => mayReadBody(lessons, caller))
    .where(({ or, and, exists, eb, selectFrom }) => {
      const setting = sql<string | null>`${lesson.quiz} ->> 'show_explanations'`
      const hasPassed = exists(
        selectFrom('quiz_attempt as other')
          .select('other.id')
          .whereRef('other.enrollment_id', '=', 'quiz_attempt.enrollment_id')
          .whereRef('other.lesson_id', '=', 'quiz_attempt.lesson_id')
          .where('other.passed', '=', true),
      )
      return or([eb(setting, '=', 'after_attempt'), and([eb(setting, '=', 'after_passing'), hasPassed])])
    })

export const explanationsOf = (questions: StoredQuiz['questions'] | null): Explanation[] =>
  (questions ?? []).flatMap(({ id, explanation }) => (explanation ? [{ question_id: id, explanation }] : []))
