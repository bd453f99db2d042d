import type { SchoolDatabase, SchoolReader } from '../../database/connection/database.ts'
import { now } from '../../database/statements/expressions.ts'
import { endAccountSessions } from '../../database/tables/accountSessions.ts'
import { voidMailedLinks } from '../../database/tables/mailedLinks.ts'
import { sessionTime } from '../signIn/browserSessions.ts'

export async function hasPassword(database: SchoolReader, accountId: string): Promise<boolean> {
  const account = await database
    .selectFrom('account')
    .select('id')
    .where('id', '=', accountId)
    .where('password_hash', 'is not', null)
    .executeTakeFirst()
  return account !== undefined
}

/**
 * Sets the password of a signed-in account whose current password was checked. Ends every session of the account, voids its mailed links,
 * cancels a pending change of its address. Authorizations of apps stay. Returns the `auth_time` for a new session of this
 * browser, in seconds since 1970; undefined if the account was disabled meanwhile.
 */
export async function changePassword(
  database: SchoolDatabase,
  { accountId, passwordHash }: { accountId: string; passwordHash: string },
): Promise<number | undefined> {
  return await database.transaction(async (writer) => {
    const account = await writer
      .updateTable('account')
      .set((row) => ({ password_hash: passwordHash, pending_email: null, updated_at: now, version: row('version', '+', 1) }))
      .where('id', '=', accountId)
      .where('disabled_at', 'is', null)
      .returning('id')
      .executeTakeFirst()
    if (!account) return undefined
    await voidMailedLinks(writer, database.schoolId, accountId)
    await endAccountSessions(writer, database.schoolId, accountId)
    const { sessions_valid_after } = await writer
      .selectFrom('account')
      .select('sessions_valid_after')
      .where('id', '=', accountId)
      .executeTakeFirstOrThrow()
    return sessionTime(new Date(), sessions_valid_after)
  })
}
