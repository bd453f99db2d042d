import type { Database } from '../../store/database.ts'
import { hasSecondFactor } from '../secondFactors/hasSecondFactor.ts'

/** The account of the signed-in person, as pages show it. */
export interface SignedInAccount {
  name: string
  email: string
  locale: string | null
  time_zone: string | null
  /** Sessions that began until this time are invalid. */
  sessions_valid_after: Date | null
  /** When the account will be deleted. */
  deletion_scheduled_at: Date | null
  /** True if the account has a passkey or an authenticator app. */
  has_second_factor: boolean
}

/** Returns the account as pages show it, or undefined if it was disabled or deleted since the sign-in. */
export async function findSignedInAccount(database: Database, schoolId: string, accountId: string): Promise<SignedInAccount | undefined> {
  return database.kysely
    .selectFrom('account')
    .select((account) => [
      ...(['name', 'email', 'locale', 'time_zone', 'sessions_valid_after', 'deletion_scheduled_at'] as const),
      hasSecondFactor(account).$castTo<boolean>().as('has_second_factor'),
    ])
    .where('school_id', '=', schoolId)
    .where('id', '=', accountId)
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
}
