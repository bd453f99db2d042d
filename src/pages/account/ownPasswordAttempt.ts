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
  const attempt = await limits.signIn.begin({ schoolId: school.id, email, address, browser: knownBrowsers.find(ctx, email) })
  if (!attempt.isAllowed) return { outcome: 'limited', retryAfterSeconds: attempt.retryAfterSeconds }
  let isRight: boolean
  try {
    isRight = await checkOwnPassword(school.id, accountId, password)
  } catch (error) {
    await attempt.abandoned()
    throw error
  }
  if (isRight) {
    await attempt.succeeded()
    return { outcome: 'right' }
  }
  await attempt.failed()
  await audit(auditEntry(ctx, 'confirmation.failed', { account_id: accountId }))
  return { outcome: 'wrong' }
}
