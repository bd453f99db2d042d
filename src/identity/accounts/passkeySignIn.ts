import type { SchoolDatabase } from '../../database/connection/database.ts'
import type { AuditEntry } from '../../database/tables/audit.ts'
import { sessionTime } from '../signIn/browserSessions.ts'
import { recordSignIn } from './activation.ts'

/** Signs in an account whose passkey has proved itself. Returns undefined if the account was disabled. `signedInAt` is in seconds since 1970. */
export async function passkeySignIn(
  { kysely }: SchoolDatabase,
  { accountId }: { accountId: string },
  audit: AuditEntry,
): Promise<{ accountId: string; email: string; signedInAt: number } | undefined> {
  const account = await kysely
    .selectFrom('account')
    .select((row) => ['email', 'sessions_valid_after', row.fn<Date>('now').as('now')])
    .where('id', '=', accountId)
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
  if (!account) return undefined
  await recordSignIn(kysely, { accountId }, audit)
  return { accountId, email: account.email, signedInAt: sessionTime(account.now, account.sessions_valid_after) }
}
