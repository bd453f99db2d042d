import type { Expression, ExpressionBuilder } from 'kysely'
import type { DB } from '../../gen/kysely/tables.ts'
import { type StoredImage, selectImage } from '../../store/fileExpressions.ts'

/** Who a staff row is, as one JSON value. The name is that of the login, where there is one. */
export function personOfStaff(staff: ExpressionBuilder<DB, 'staff'>): Expression<unknown> {
  return staff
    .selectFrom((inner) =>
      inner
        .selectFrom('person')
        .leftJoin('account', (join) =>
          join.onRef('account.school_id', '=', 'person.school_id').onRef('account.id', '=', 'person.account_id'),
        )
        .select((row) => [
          row.fn.coalesce('account.name', 'person.name').as('name'),
          row.fn.coalesce('account.email', 'person.email').as('email'),
        ])
        .select(() => [selectImageAs('account', 'avatar')])
        .whereRef('person.school_id', '=', 'staff.school_id')
        .whereRef('person.id', '=', 'staff.person_id')
        .as('who'),
    )
    .select((who) => who.fn.toJson('who').as('person'))
}

/** What `personOfStaff` reads. */
export interface StaffPerson {
  name: string
  email: string
  avatar: StoredImage | null
}

/** When the person behind a staff row last signed in. */
export const lastSeenOf = (staff: ExpressionBuilder<DB, 'staff'>): Expression<unknown> =>
  staff
    .selectFrom('account')
    .innerJoin('person', (join) => join.onRef('person.school_id', '=', 'account.school_id').onRef('person.account_id', '=', 'account.id'))
    .select('account.last_sign_in_at')
    .whereRef('person.school_id', '=', 'staff.school_id')
    .whereRef('person.id', '=', 'staff.person_id')

const selectImageAs = (table: string, name: string) =>
  (selectImage(table, name) as Expression<unknown> & { as(alias: string): never }).as(name)
