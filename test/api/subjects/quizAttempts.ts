import { fromPublicId } from '../../../src/lib/ids.ts'
import type { PersonCaller } from '../../../src/policy/caller.ts'
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
  bodies: { createQuizAttempt: async () => ({ answers: [{ question_id: 'q1', choice_ids: ['c1'] }] }) },
}
