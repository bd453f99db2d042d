import type { Database } from '../store/database.ts'

/** What a page tells a person about who they are signed in as. */
export interface SignedIn {
  name: string
  email: string
  /** Sessions that began until then are over. */
  sessions_valid_after: Date | null
}

/** The account's name and address, or undefined where it has been disabled or removed since. */
export async function findSignedIn(database: Database, schoolId: string, accountId: string): Promise<SignedIn | undefined> {
  return database.kysely
    .selectFrom('account')
    .select(['name', 'email', 'sessions_valid_after'])
    .where('school_id', '=', schoolId)
    .where('id', '=', accountId)
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
}
