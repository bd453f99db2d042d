import type { Context } from 'koa'
import { auditEntry } from '../auditEntry.ts'
import type { AccountArguments } from './accountArguments.ts'
import type { SignedInPerson } from './signedInPerson.ts'

export type PasswordAttempt = { outcome: 'right' } | { outcome: 'wrong' } | { outcome: 'limited'; retryAfterSeconds: number }

/** Checks the password of a person who is signed in. Wrong ones count under the limits of sign-ins. */
export async function ownPasswordAttempt(
  ctx: Context,
  { limits, knownBrowsers, checkOwnPassword, audit }: AccountArguments,
  { accountId, who: { email } }: SignedInPerson,
  password: string,
): Promise<PasswordAttempt> {
  const { school, address } = ctx.state
  const browser = await knownBrowsers.find(ctx, email)
  const attempt = await limits.signIn.attempt({ schoolId: school.id, email, address, browser }, async (turn) =>
    (await checkOwnPassword(school.id, accountId, password, turn)) ? true : undefined,
  )
  if (attempt.outcome === 'limited') return attempt
  if (attempt.outcome === 'passed') return { outcome: 'right' }
  await audit(auditEntry(ctx, 'confirmation.failed', { account_id: accountId }))
  return { outcome: 'wrong' }
}
