import type { Expression } from 'kysely'
import { jsonBuildObject } from 'kysely/helpers/postgres'
import type { PersonCaller, Viewer } from '../../base/caller.ts'
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
      .whereRef('enrollment.person_id', '=', 'person.id')
      .where('enrollment.status', '!=', 'canceled')
      .where('course_lecturer.lecturer_id', '=', lecturerId),
  )
}

/** Selects the amount that the person has paid, less refunds, with the currency of the school, as one JSON value. */
export const spendOf = (person: Builder<'person'>, { schoolId }: Viewer): Expression<unknown> =>
  jsonBuildObject({
    amount: person.ref('person.lifetime_spend'),
    currency: person.selectFrom('school').select('school.currency').where('school.id', '=', schoolId),
  })
