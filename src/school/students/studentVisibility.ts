import type { PersonCaller } from '../../base/caller.ts'
import type { Builder, Condition } from '../../database/statements/expressions.ts'

export const isStudent = (person: Builder<'person'>): Condition => person('person.is_student', '=', person.lit(true))

export const isMe = (person: Builder<'person'>, { personId }: Pick<PersonCaller, 'personId'>): Condition =>
  personId === null ? person.lit(false) : person('person.id', '=', personId)

export function isTaughtByCaller(person: Builder<'person'>, { lecturerId }: Pick<PersonCaller, 'lecturerId'>): Condition {
  if (lecturerId === null) return person.lit(false)
  return person.exists(
    person
      .selectFrom('enrollment')
      .innerJoin('course_lecturer', 'course_lecturer.course_id', 'enrollment.course_id')
      .select('enrollment.id')
      .whereRef('enrollment.person_id', '=', 'person.id')
      .where('enrollment.status', '!=', 'canceled')
      .where('course_lecturer.lecturer_id', '=', lecturerId),
  )
}
