import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { DB } from '../../gen/kysely/tables.ts'
import type { PersonCaller } from '../../policy/caller.ts'

type Persons = ExpressionBuilder<DB, 'person'>
type Condition = Expression<SqlBool>

/** Whom the school knows as a student. */
export const isStudent = (person: Persons): Condition => person('person.is_student', '=', person.lit(true))

/** The person who calls. */
export const isMe = (person: Persons, { personId }: Pick<PersonCaller, 'personId'>): Condition =>
  personId === null ? person.lit(false) : person('person.id', '=', personId)

/** Who takes, or took, a course that the caller teaches. */
export function isTaughtByCaller(person: Persons, { lecturerId }: Pick<PersonCaller, 'lecturerId'>): Condition {
  if (lecturerId === null) return person.lit(false)
  return person.exists(
    person
      .selectFrom('enrollment')
      .innerJoin('course_lecturer', (join) =>
        join
          .onRef('course_lecturer.school_id', '=', 'enrollment.school_id')
          .onRef('course_lecturer.course_id', '=', 'enrollment.course_id'),
      )
      .select('enrollment.id')
      .whereRef('enrollment.school_id', '=', 'person.school_id')
      .whereRef('enrollment.person_id', '=', 'person.id')
      .where('enrollment.status', '!=', 'canceled')
      .where('course_lecturer.lecturer_id', '=', lecturerId),
  )
}
