import type { Context } from 'koa'
import type { SignedInAccount } from '../identity/accounts/signedInAccount.ts'
import { isSessionOver } from '../identity/signIn/browserSessions.ts'
import { useAccountLocale } from './language.ts'

/**
 * Returns the account of a sign-in if it can still be used: undefined if it was disabled or removed, or ended its sessions, since.
 * The pages of this request then use the account's language and time zone.
 */
export async function findActiveAccount<Account extends Pick<SignedInAccount, 'locale' | 'time_zone' | 'sessions_valid_after'>>(
  ctx: Context,
  find: (schoolId: string, accountId: string) => Promise<Account | undefined>,
  { accountId, signedInAt }: { accountId: string; signedInAt: number | undefined },
): Promise<Account | undefined> {
  const { school } = ctx.state
  const account = await find(school.id, accountId)
  if (account) ctx.state.accountId = accountId
  if (account && isSessionOver(signedInAt, account.sessions_valid_after)) return undefined
  useAccountLocale(ctx, account?.locale ?? null)
  ctx.state.accountTimeZone = account?.time_zone ?? null
  return account
}
