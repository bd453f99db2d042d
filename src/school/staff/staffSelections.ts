import type { Expression } from 'kysely'
import { jsonObjectFrom } from 'kysely/helpers/postgres'
import { type Builder, type StoredImage, selectImage } from '../../database/statements/expressions.ts'

/** Selects the person of a staff row as one JSON value. Name and address come from the account, if there is one. */
export function personOfStaff(staff: Builder<'staff'>): Expression<unknown> {
  return jsonObjectFrom(
    staff
      .selectFrom('person')
      .leftJoin('account', 'account.id', 'person.account_id')
      .select((row) => [
        row.fn.coalesce('account.name', 'person.name').as('name'),
        row.fn.coalesce('account.email', 'person.email').as('email'),
      ])
      .select(selectImage('account', 'avatar').as('avatar'))
      .whereRef('person.id', '=', 'staff.person_id'),
  )
}

export interface StaffPerson {
  name: string
  email: string
  avatar: StoredImage | null
}

export const lastSeenOf = (staff: Builder<'staff'>): Expression<unknown> =>
  staff
    .selectFrom('account')
    .innerJoin('person', 'person.account_id', 'account.id')
    .select('account.last_sign_in_at')
    .whereRef('person.id', '=', 'staff.person_id')
