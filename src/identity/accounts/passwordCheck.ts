import type { DatabaseOf } from '../../database/connection/database.ts'
import { isTooLong, verifyPassword } from './password.ts'
import type { PasswordTurn } from './passwordGate.ts'

export type CheckPassword = (schoolId: string, accountId: string, password: string, turn: PasswordTurn) => Promise<boolean>

export function createPasswordCheck({ databaseOf }: { databaseOf: DatabaseOf }): CheckPassword {
  return async (schoolId, accountId, password, turn) => {
    if (isTooLong(password)) return false
    const account = await databaseOf(schoolId)
      .kysely.selectFrom('account')
      .select('password_hash')
      .where('id', '=', accountId)
      .where('disabled_at', 'is', null)
      .executeTakeFirst()
    const hash = account?.password_hash
    return hash ? turn(() => verifyPassword(password, hash)) : false
  }
}
