import { sql } from 'kysely'
import type { Caller } from '../../base/caller.ts'
import { refs } from '../../database/statements/columns.ts'
import type { Builder } from '../../database/statements/expressions.ts'
import { mayReadBody } from '../curriculum/entitlement.ts'
import type { StoredQuiz } from './scoreQuiz.ts'

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
