import { jsonObjectFrom } from 'kysely/helpers/postgres'
import type { Builder } from '../../database/statements/expressions.ts'

/** The facets and the staff role of a person, as `membershipOf` selects them. */
export interface StoredMembership {
  id: string
  is_student: boolean
  is_member: boolean
  role: string | null
  lecturer_id: string | null
}

/** Selects the facets and the staff role of the account's person as one JSON value; null for an account without a person. */
export function membershipOf(account: Builder<'account'>) {
  return jsonObjectFrom(
    account
      .selectFrom('person')
      .leftJoin('staff', (join) => join.onRef('staff.person_id', '=', 'person.id').on('staff.status', '=', 'active'))
      .select(['person.id', 'person.is_student', 'person.is_member', 'staff.role', 'staff.lecturer_id'])
      .whereRef('person.account_id', '=', 'account.id'),
  )
}

/** Converts a stored membership to its API form. Student and member are facets of one person: their ids differ only in the prefix. */
export function membershipFrom(stored: StoredMembership | null): {
  roles: string[]
  student_id: string | null
  member_id: string | null
  lecturer_id: string | null
} {
  return {
    roles: [stored?.role ?? 'learner'],
    student_id: stored?.is_student ? stored.id : null,
    member_id: stored?.is_member ? stored.id : null,
    lecturer_id: stored?.lecturer_id ?? null,
  }
}
