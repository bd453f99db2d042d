import type { Context } from 'koa'
import { typedCode } from '../../identity/factors/appSecret.ts'
import { useAppCode } from '../../identity/factors/authenticatorApp.ts'
import type { ChallengePurpose } from '../../identity/factors/challenges.ts'
import { parsePasskeyResponse, usePasskey } from '../../identity/factors/passkeys.ts'
import { typedRecoveryCode, useRecoveryCode } from '../../identity/factors/recoveryCodes.ts'
import { relyingParty } from '../../identity/factors/relyingParty.ts'
import { type AuthenticationContext, contexts } from '../../identity/signIn/authenticationContext.ts'
import { methods } from '../../identity/signIn/authenticationMethods.ts'
import { auditEntry } from '../auditEntry.ts'
import type { PageServices } from '../pagesArguments.ts'

/** How an attempt ended. `amr`: the methods that it proved. `acr`: the context that it reaches, alone or together with the password. */
export type FactorAttempt =
  | { outcome: 'proved'; accountId: string; amr: readonly string[]; acr: AuthenticationContext }
  | { outcome: 'failed' }
  /** The school can no longer check codes of this app: see useAppCode. */
  | { outcome: 'unusable' }
  | { outcome: 'limited'; retryAfterSeconds: number }

/** The account and the purpose of an attempt. Without an account, the passkey identifies it. */
export interface AttemptedFactor {
  accountId?: string
  purpose: ChallengePurpose
  form: URLSearchParams
  /** True if the passkey is the only proof: its authenticator must have verified the person. */
  isVerified: boolean
}

/** Checks the passkey of the submitted form. Its challenge must belong to this browser, school, purpose and account. */
export async function attemptPasskey(ctx: Context, args: PageServices, attempted: AttemptedFactor): Promise<FactorAttempt> {
  const { school } = ctx.state
  const { accountId, purpose, form, isVerified } = attempted
  const party = relyingParty(school)
  const response = parsePasskeyResponse(form.get('passkey'))
  if (!party || !response) return { outcome: 'failed' }
  const binding = { schoolId: school.id, purpose, accountId, browser: form.get('csrf') ?? '' }
  const used = await usePasskey({ ...args, database: args.databaseOf(school.id), party, binding }, response, { isVerified })
  if (!('rejected' in used)) {
    const acr = used.isVerified ? contexts.phishingResistant : contexts.multiFactor
    return { outcome: 'proved', accountId: used.accountId, amr: used.isSynced ? methods.syncedPasskey : methods.passkey, acr }
  }
  if (used.rejected === 'counter' && used.accountId !== undefined) {
    await args.audit(auditEntry(ctx, 'passkey.copied', { account_id: used.accountId }))
  }
  return { outcome: 'failed' }
}

/** Checks the code of the submitted form: of the authenticator app, or a recovery code. Wrong ones count for the account. */
async function attemptCode(
  ctx: Context,
  { databaseOf, keyring, limits, audit, notify }: PageServices,
  { accountId, form }: { accountId: string; form: URLSearchParams },
): Promise<FactorAttempt> {
  const { school } = ctx.state
  const owner = { schoolId: school.id, accountId }
  const attempt = await limits.signIn.beginCode(owner)
  if (!attempt.isAllowed) return { outcome: 'limited', retryAfterSeconds: attempt.retryAfterSeconds }
  const typed = form.get('code') ?? ''
  const recoveryCode = typedRecoveryCode(typed)
  let left: number | undefined
  let app: Awaited<ReturnType<typeof useAppCode>> | undefined
  try {
    if (recoveryCode) left = await useRecoveryCode(databaseOf(owner.schoolId).kysely, keyring, { ...owner, code: recoveryCode })
    else app = await useAppCode(databaseOf(owner.schoolId).kysely, keyring, { ...owner, code: typedCode(typed) })
  } catch (error) {
    await attempt.abandoned()
    throw error
  }
  if (app === 'unusable') {
    await attempt.abandoned()
    await audit(auditEntry(ctx, 'second_factor.unusable', { account_id: accountId }))
    return { outcome: 'unusable' }
  }
  if (app !== 'right' && left === undefined) {
    await attempt.failed()
    return { outcome: 'failed' }
  }
  await attempt.succeeded()
  if (left !== undefined) {
    await audit(auditEntry(ctx, 'recovery_code.used', { account_id: accountId }))
    await notify(ctx, accountId, 'recovery_code_used', { left: String(left) })
  }
  return { outcome: 'proved', accountId, amr: methods.code, acr: contexts.multiFactor }
}

/** Checks the passkey of the submitted form if it contains one, otherwise its code. */
export const attemptFactor = (
  ctx: Context,
  args: PageServices,
  attempted: AttemptedFactor & { accountId: string },
): Promise<FactorAttempt> => (attempted.form.get('passkey') ? attemptPasskey(ctx, args, attempted) : attemptCode(ctx, args, attempted))
