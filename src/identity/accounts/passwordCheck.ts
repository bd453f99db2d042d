import type { SchoolReader } from '../../database/connection/database.ts'
import { isTooLong, verifyPassword } from './password.ts'
import type { PasswordTurn } from './passwordGate.ts'

/** True if this is the password of the account. */
export async function checkPassword(database: SchoolReader, accountId: string, password: string, turn: PasswordTurn): Promise<boolean> {
  if (isTooLong(password)) return false
  const account = await database
    .selectFrom('account')
    .select('password_hash')
    .where('id', '=', accountId)
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
  const hash = account?.password_hash
  return hash ? turn(() => verifyPassword(password, hash)) : false
}
