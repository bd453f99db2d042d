import type { PersonCaller } from '../../../src/base/caller.ts'
import { fromPublicId } from '../../../src/base/ids.ts'
import { courses } from '../../../src/school/courses/courses.ts'
import { newEnrollments } from '../../support/learners.ts'
import { actor } from '../derived/everyWrite.ts'
import type { Exceptions } from '../derived/exceptions.ts'

const question = { id: 'q1', kind: 'single', prompt: 'Which?', points: 1, accepted_answers: [], explanation: null }
const choices = [
  { id: 'c1', text: 'This', correct: true },
  { id: 'c2', text: 'That', correct: false },
]
const quiz = { pass_percent: 70, max_attempts: null, questions: [{ ...question, choices }] }

export const exceptions: Exceptions = {
  before: {
    /** The lesson is a quiz, which the person who sends the requests can open. */
    async createQuizAttempt({ database, school, caller }, id) {
      const [lesson] = await database.sql.query<{ course_id: string }>(
        `UPDATE lesson SET kind = 'quiz', status = 'published', quiz = $3 WHERE school_id = $1 AND id = $2 RETURNING course_id`,
        [school.id, fromPublicId('les', id), JSON.stringify(quiz)],
      )
      const { personId } = (await caller(actor)) as PersonCaller
      await newEnrollments(database.sql, school.id, [personId as string], [lesson?.course_id as string])
    },
  },
  bodies: {
    createQuizAttempt: async () => ({ answers: [{ question_id: 'q1', choice_ids: ['c1'] }] }),
    /** The quiz of a lesson with an attempt whose stored result is not that of the key. */
    async regradeQuizAttempts({ create, send, database, school, caller }) {
      const course = await create(courses)
      const section = await send('createSection', course)
      const lesson = await send('createLesson', String(section.id), { title: 'Quiz', kind: 'quiz', quiz })
      const { personId } = (await caller(actor)) as PersonCaller
      await newEnrollments(database.sql, school.id, [personId as string], [fromPublicId('crs', course) as string])
      await database.sql.query(
        `INSERT INTO quiz_attempt (school_id, id, enrollment_id, lesson_id, person_id, attempt_no, score_bps, passed, answers)
         SELECT school_id, gen_random_uuid(), id, $3, person_id, 1, 0, false, '[{"question_id":"q1","choice_ids":["c1"]}]'
           FROM enrollment WHERE school_id = $1 AND course_id = $2`,
        [school.id, fromPublicId('crs', course), fromPublicId('les', String(lesson.id))],
      )
      return { lesson_id: lesson.id }
    },
  },
}
