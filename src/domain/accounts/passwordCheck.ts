import type { Database } from '../../store/database.ts'
import { isTooLong, verifyPassword } from './password.ts'
import type { PasswordGate } from './passwordGate.ts'

/** Returns true if this is the password of the account. Does not sign the person in. */
export type CheckPassword = (schoolId: string, accountId: string, password: string) => Promise<boolean>

/** @throws Problem temporarily_unavailable if the gate is full */
export function createPasswordCheck({ database, gate }: { database: Database; gate: PasswordGate }): CheckPassword {
  return async (schoolId, accountId, password) => {
    if (isTooLong(password)) return false
    const account = await database.kysely
      .selectFrom('account')
      .select('password_hash')
      .where('school_id', '=', schoolId)
      .where('id', '=', accountId)
      .where('disabled_at', 'is', null)
      .executeTakeFirst()
    const hash = account?.password_hash
    return hash ? gate(() => verifyPassword(password, hash)) : false
  }
}
