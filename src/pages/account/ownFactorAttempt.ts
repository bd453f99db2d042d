import type { Context } from 'koa'
import { auditEntry } from '../auditEntry.ts'
import { submittedForm } from '../formBody.ts'
import { attemptFactor } from '../secondFactor/attemptFactor.ts'
import type { AccountArguments } from './accountArguments.ts'
import type { PasswordAttempt } from './ownPasswordAttempt.ts'
import type { SignedInPerson } from './signedInPerson.ts'

/** Checks the second factor of a person who is signed in. A passkey must have verified the person, since it is the only proof. */
export async function ownFactorAttempt(
  ctx: Context,
  { database, keyring, limits, audit, notify }: AccountArguments,
  { accountId }: SignedInPerson,
): Promise<PasswordAttempt> {
  const args = { database, keyring, audit, notify, limits: limits.signIn }
  const attempt = await attemptFactor(ctx, args, { accountId, purpose: 'confirmation', form: submittedForm(ctx), isVerified: true })
  if (attempt.outcome === 'limited') return attempt
  if (attempt.outcome === 'proved') return { outcome: 'right' }
  await audit(auditEntry(ctx, 'confirmation.failed', { account_id: accountId }))
  return { outcome: 'wrong' }
}
