import type { Expression, ExpressionBuilder } from 'kysely'
import type { DB } from '../../gen/kysely/tables.ts'

/** A person's facets as the database holds them, or null for an account without a person. */
export interface StoredMembership {
  id: string
  is_student: boolean
  is_member: boolean
  role: string | null
  lecturer_id: string | null
}

/** What the account's person is in this school, as one JSON value. */
export function membershipOf(account: ExpressionBuilder<DB, 'account'>): Expression<unknown> {
  return account
    .selectFrom((inner) =>
      inner
        .selectFrom('person')
        .leftJoin('staff', (join) =>
          join
            .onRef('staff.school_id', '=', 'person.school_id')
            .onRef('staff.person_id', '=', 'person.id')
            .on('staff.status', '=', 'active'),
        )
        .select(['person.id', 'person.is_student', 'person.is_member', 'staff.role', 'staff.lecturer_id'])
        .whereRef('person.school_id', '=', 'account.school_id')
        .whereRef('person.account_id', '=', 'account.id')
        .as('facets'),
    )
    .select((facets) => facets.fn.toJson('facets').as('membership'))
}

/** The same as the API shows it. Student and member are two facets of one person: their ids differ in the prefix alone. */
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
