import type { Database } from '../../store/database.ts'
import { isTooLong, verifyPassword } from './password.ts'
import type { PasswordTurn } from './passwordGate.ts'

/** Returns true if this is the password of the account. Does not sign the person in. */
export type CheckPassword = (schoolId: string, accountId: string, password: string, turn: PasswordTurn) => Promise<boolean>

export function createPasswordCheck({ database }: { database: Database }): CheckPassword {
  return async (schoolId, accountId, password, turn) => {
    if (isTooLong(password)) return false
    const account = await database.kysely
      .selectFrom('account')
      .select('password_hash')
      .where('school_id', '=', schoolId)
      .where('id', '=', accountId)
      .where('disabled_at', 'is', null)
      .executeTakeFirst()
    const hash = account?.password_hash
    return hash ? turn(() => verifyPassword(password, hash)) : false
  }
}
