import type { Database } from '../../store/database.ts'

/** What a page tells a person about who they are signed in as. */
export interface SignedIn {
  name: string
  email: string
  locale: string | null
  /** Sessions that began until then are over. */
  sessions_valid_after: Date | null
  /** When the account is to be deleted. */
  deletion_scheduled_at: Date | null
}

/** The account as pages show it, or undefined where it has been disabled or removed since. */
export async function findSignedIn(database: Database, schoolId: string, accountId: string): Promise<SignedIn | undefined> {
  return database.kysely
    .selectFrom('account')
    .select(['name', 'email', 'locale', 'sessions_valid_after', 'deletion_scheduled_at'])
    .where('school_id', '=', schoolId)
    .where('id', '=', accountId)
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
}
