import type { Database } from '../../store/database.ts'

/** The account of the signed-in person, as pages show it. */
export interface SignedInAccount {
  name: string
  email: string
  locale: string | null
  /** Sessions that began until this time are invalid. */
  sessions_valid_after: Date | null
  /** When the account will be deleted. */
  deletion_scheduled_at: Date | null
}

/** Returns the account as pages show it, or undefined if it was disabled or deleted since the sign-in. */
export async function findSignedInAccount(database: Database, schoolId: string, accountId: string): Promise<SignedInAccount | undefined> {
  return database.kysely
    .selectFrom('account')
    .select(['name', 'email', 'locale', 'sessions_valid_after', 'deletion_scheduled_at'])
    .where('school_id', '=', schoolId)
    .where('id', '=', accountId)
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
}
