import type { Context } from 'koa'
import { findSignedInAccount, type SignedInAccount } from '../domain/accounts/signedInAccount.ts'
import { isSessionOver } from '../policy/browserSessions.ts'
import type { Database } from '../store/database.ts'
import type { LanguageState } from './language.ts'

/**
 * Returns the account of a sign-in if it can still be used: undefined if it was disabled or removed, or ended its sessions, since.
 * The pages of this request then use the account's language.
 */
export async function findActiveAccount(
  ctx: Context,
  database: Database,
  { accountId, signedInAt }: { accountId: string; signedInAt: number | undefined },
): Promise<SignedInAccount | undefined> {
  const { school } = ctx.state
  const account = await findSignedInAccount(database, school.id, accountId)
  if (account && isSessionOver(signedInAt, account.sessions_valid_after)) return undefined
  Object.assign(ctx.state, { accountLocale: account?.locale ?? null } satisfies LanguageState)
  return account
}
