import { sql } from 'kysely'
import type { PersonCaller } from '../../base/caller.ts'
import { newId } from '../../base/ids.ts'
import { Problem } from '../../base/problem.ts'
import type { SchoolWriter, Stored } from '../../database/connection/database.ts'
import { unnest } from '../../database/statements/unnest.ts'
import { recordChanges } from '../../database/tables/changeLog.ts'
import type { ChangeContext } from '../changeContext.ts'
import { lockCourseOf } from '../curriculum/countTree.ts'
import { lessonRules } from '../curriculum/selections.ts'
import { announce } from '../notifications/announce.ts'
import { recountCourse } from './countProgress.ts'
import { type Answer, type QuestionResult, type Score, type StoredQuiz, scoreAgain } from './scoreQuiz.ts'

/** The maximum number of attempts that one request grades again. */
export const maxRegraded = 20_000

const batchSize = 500

interface RegradeContext extends ChangeContext {
  caller: PersonCaller
}

/** An attempt whose result differs from the stored one. Scores are hundredths of a percent. */
export interface RegradedAttempt extends Stored<'quiz_attempt', 'id' | 'person_id' | 'attempt_no' | 'score_bps' | 'passed'> {
  previous_score_bps: number
  previous_passed: boolean
}

interface Attempt extends Stored<'quiz_attempt', 'id' | 'enrollment_id' | 'person_id' | 'attempt_no' | 'score_bps' | 'passed'> {
  answers: Answer[]
  results: QuestionResult[] | null
}

type Change = RegradedAttempt & Pick<Attempt, 'enrollment_id'> & Pick<Score, 'results'>

/**
 * Grades the attempts at the quiz of a lesson with its current answer key. An attempt that passes now completes the lesson, with everything
 * that follows from it; one that fails now leaves completed lessons and enrolments completed. Locks the course, the lesson and the enrolments
 * in the order of their ids.
 * @returns the number of attempts, and those with another result; undefined if the caller cannot change the lesson
 * @throws Problem invalid_state without a quiz or with more than `maxRegraded` attempts
 */
export async function regradeQuiz(
  context: RegradeContext,
  lessonId: string,
): Promise<{ attemptsCount: number; changed: RegradedAttempt[] } | undefined> {
  const { writer, now } = context
  await lockCourseOf('lesson')(writer, { id: lessonId })
  const lesson = await findLesson(context, lessonId)
  if (!lesson) return undefined
  const quiz = lesson.quiz as StoredQuiz | null
  if (!quiz) throw new Problem('invalid_state', { description: 'The lesson has no quiz.' })
  const attempts = await attemptKeys(writer, lessonId)
  if (attempts.length > maxRegraded)
    throw new Problem('invalid_state', { description: `The quiz has more than ${maxRegraded} attempts, which is the maximum.` })
  await lockEnrollments(writer, [...new Set(attempts.map(({ enrollment_id }) => enrollment_id))])
  const changed: RegradedAttempt[] = []
  let completesLesson = false
  for (let start = 0; start < attempts.length; start += batchSize) {
    const ids = attempts.slice(start, start + batchSize).map(({ id }) => id)
    const changes = (await readAttempts(writer, ids)).flatMap((attempt) => changeOf(quiz, attempt) ?? [])
    for (const { results: _results, enrollment_id: _enrollment, ...change } of changes) changed.push(change)
    if (changes.length === 0) continue
    await writeResults(context, changes)
    if (await completeLesson(context, lesson, changes)) completesLesson = true
  }
  if (changed.length > 0) {
    await announce(writer, { kind: 'quiz_result', subjectIds: [newId()], groupId: lessonId, at: now })
  }
  if (completesLesson) await recountCourse(writer, { courseId: lesson.course_id, now })
  return { attemptsCount: attempts.length, changed }
}

async function findLesson({ writer, caller }: RegradeContext, lessonId: string) {
  return await writer
    .selectFrom('lesson')
    .select(['id', 'course_id', 'quiz'])
    .where('id', '=', lessonId)
    .$if(caller.role === 'lecturer', (query) => query.where(lessonRules.isTaught(undefined, caller)))
    .forUpdate()
    .executeTakeFirst()
}

const attemptKeys = async (writer: SchoolWriter, lessonId: string) =>
  await writer
    .selectFrom('quiz_attempt')
    .select(['id', 'enrollment_id'])
    .where('lesson_id', '=', lessonId)
    .orderBy('enrollment_id')
    .orderBy('attempt_no')
    .limit(maxRegraded + 1)
    .execute()

async function lockEnrollments(writer: SchoolWriter, ids: readonly string[]): Promise<void> {
  await writer
    .selectFrom('enrollment')
    .select('id')
    .where((enrollment) => enrollment('id', '=', enrollment.fn.any(enrollment.val(ids))))
    .orderBy('id')
    .forUpdate()
    .execute()
}

const readAttempts = async (writer: SchoolWriter, ids: readonly string[]) =>
  await writer
    .selectFrom('quiz_attempt')
    .select(['id', 'enrollment_id', 'person_id', 'attempt_no', 'score_bps', 'passed', 'answers', 'results'])
    .where((attempt) => attempt('id', '=', attempt.fn.any(attempt.val(ids))))
    .orderBy('enrollment_id')
    .orderBy('attempt_no')
    .$castTo<Attempt>()
    .execute()

/** Returns the new result of an attempt; undefined if it is the stored one. */
function changeOf(quiz: StoredQuiz, { answers, results, score_bps, passed, ...attempt }: Attempt): Change | undefined {
  const score = scoreAgain(quiz, { answers, results })
  if (!score) return undefined
  const isSame = score.bps === score_bps && score.isPassed === passed && results !== null && hasSameResults(score.results, results)
  if (isSame) return undefined
  return {
    ...attempt,
    previous_score_bps: score_bps,
    previous_passed: passed,
    score_bps: score.bps,
    passed: score.isPassed,
    results: score.results,
  }
}

const hasSameResults = (now: readonly QuestionResult[], before: readonly QuestionResult[]): boolean =>
  now.length === before.length &&
  now.every(({ correct, points }, index) => correct === before[index]?.correct && points === before[index]?.points)

async function writeResults({ writer, now }: ChangeContext, changes: readonly Change[]): Promise<void> {
  const written = await writer
    .updateTable('quiz_attempt')
    .from(
      unnest('new', {
        id: { type: 'uuid', values: changes.map(({ id }) => id) },
        score_bps: { type: 'int', values: changes.map(({ score_bps }) => score_bps) },
        passed: { type: 'text', values: changes.map(({ passed }) => String(passed)) },
        results: { type: 'text', values: changes.map(({ results }) => JSON.stringify(results)) },
      }),
    )
    .set((row) => ({
      score_bps: row.cast<number>(row.ref('new.score_bps'), 'integer'),
      passed: row.cast<boolean>(row.ref('new.passed'), 'boolean'),
      results: row.cast<string>(row.ref('new.results'), 'jsonb'),
      regraded_at: now,
      previous_score_bps: row.ref('quiz_attempt.score_bps'),
      previous_passed: row.ref('quiz_attempt.passed'),
      version: row('quiz_attempt.version', '+', 1),
      updated_at: now,
    }))
    .whereRef('quiz_attempt.id', '=', sql`new.id`)
    .returning(['quiz_attempt.id', 'quiz_attempt.version'])
    .execute()
  await recordChanges(writer, { type: 'quiz_attempt', action: 'updated' }, written)
}

/** Completes the lesson for the enrolments of attempts that pass now and failed before. Returns true if progress changed. */
async function completeLesson(
  { writer, now }: ChangeContext,
  lesson: { id: string; course_id: string },
  changes: readonly Change[],
): Promise<boolean> {
  const people = new Map(
    changes.filter(({ passed, previous_passed }) => passed && !previous_passed).map((change) => [change.enrollment_id, change.person_id]),
  )
  if (people.size === 0) return false
  const state = { status: 'completed', completed_at: now, updated_at: now }
  const written = await writer
    .insertInto('lesson_progress')
    .values(
      [...people].map(([enrollment_id, person_id]) => ({
        ...{ school_id: writer.schoolId, id: newId(), enrollment_id, lesson_id: lesson.id, course_id: lesson.course_id, person_id },
        ...{ ...state, created_at: now },
      })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['school_id', 'enrollment_id', 'lesson_id'])
        .doUpdateSet((row) => ({ ...state, version: row('lesson_progress.version', '+', 1) }))
        .where('lesson_progress.status', '<>', 'completed'),
    )
    .returning(['id', 'version'])
    .execute()
  const isNew = ({ version }: { version: number }): boolean => version === 1
  const change = { school_id: writer.schoolId, type: 'lesson_progress' }
  await recordChanges(writer, { ...change, action: 'created' }, written.filter(isNew))
  await recordChanges(
    writer,
    { ...change, action: 'updated' },
    written.filter((row) => !isNew(row)),
  )
  return written.length > 0
}
