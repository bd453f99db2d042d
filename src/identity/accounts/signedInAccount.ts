import type { SchoolDatabase, Stored } from '../../database/connection/database.ts'
import { hasSecondFactor } from '../factors/hasSecondFactor.ts'

export interface SignedInAccount
  extends Stored<'account', 'name' | 'email' | 'locale' | 'time_zone' | 'sessions_valid_after' | 'deletion_scheduled_at'> {
  has_second_factor: boolean
}

export async function findSignedInAccount(database: SchoolDatabase, accountId: string): Promise<SignedInAccount | undefined> {
  return database.kysely
    .selectFrom('account')
    .select((account) => [
      ...(['name', 'email', 'locale', 'time_zone', 'sessions_valid_after', 'deletion_scheduled_at'] as const),
      hasSecondFactor(account).$castTo<boolean>().as('has_second_factor'),
    ])
    .where('id', '=', accountId)
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
}
