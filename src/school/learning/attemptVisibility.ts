import { expressionBuilder } from 'kysely'
import type { PersonCaller } from '../../base/caller.ts'
import type { Condition } from '../../database/statements/expressions.ts'
import type { DB } from '../../gen/kysely/tables.ts'
import { lessonRules } from '../curriculum/selections.ts'

const attempt = expressionBuilder<DB, 'quiz_attempt'>()

const isMine = (_rows: unknown, { personId }: PersonCaller): Condition =>
  personId === null ? attempt.lit(false) : attempt('quiz_attempt.person_id', '=', personId)

const isTaught = (_rows: unknown, me: PersonCaller): Condition =>
  attempt.exists(
    attempt.selectFrom('lesson').whereRef('lesson.id', '=', 'quiz_attempt.lesson_id').where(lessonRules.isTaught(undefined, me)),
  )

/** The rules for attempts at quizzes: the student, the lecturers of the course and the staff see them. */
export const attemptRules = {
  isMine,
  isTaught,
  isTaughtOrMine: (rows: unknown, me: PersonCaller): Condition => attempt.or([isMine(rows, me), isTaught(rows, me)]),
}
