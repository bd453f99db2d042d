import { jsonBuildObject } from 'kysely/helpers/postgres'
import type { Reader, Stored } from '../connection/database.ts'

export interface AccountRow
  extends Stored<
    'account',
    'id' | 'email' | 'email_verified' | 'name' | 'given_name' | 'family_name' | 'locale' | 'time_zone' | 'updated_at'
  > {
  avatar: { id: string; filename: string } | null
  /** Sessions that began before this time, or at it, are invalid. */
  sessions_valid_after: Date | null
}

/** Returns a person's login, unless it has been disabled. */
export async function findAccount(db: Reader, schoolId: string, id: string): Promise<AccountRow | undefined> {
  return await db
    .selectFrom('account')
    .select(['id', 'email', 'email_verified', 'name', 'given_name', 'family_name', 'locale', 'time_zone', 'updated_at'])
    .select([
      'sessions_valid_after',
      ({ selectFrom }) =>
        selectFrom('file')
          .select(({ ref }) => jsonBuildObject({ id: ref('file.id'), filename: ref('file.filename') }).as('picture'))
          .whereRef('file.school_id', '=', 'account.school_id')
          .whereRef('file.id', '=', 'account.avatar_file_id')
          .where('file.status', '=', 'ready')
          .as('avatar'),
    ])
    .where('school_id', '=', schoolId)
    .where('id', '=', id)
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
}
