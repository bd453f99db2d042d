import type { Context } from 'koa'
import type { SignIn } from '../domain/signIn.ts'
import type { School } from '../policy/school.ts'
import { auditEntry } from './auditEntry.ts'
import type { FormState } from './formBody.ts'
import type { PagesArguments, Verdict } from './pagesArguments.ts'

/** How an attempt ended. `email` is what was typed, for the form that is shown again. */
export type SignInAttempt =
  | { outcome: 'limited'; email: string; retryAfterSeconds: number }
  | { outcome: 'failed'; email: string }
  | { outcome: 'signed in'; email: string; account: NonNullable<Awaited<ReturnType<SignIn>>> }

type AttemptArguments = Pick<PagesArguments, 'audit' | 'checkPassword'> & { limits: PagesArguments['limits'] }

/**
 * Checks the address and the password of the posted form. Every failure is the same and is counted, by account and by network address,
 * before the password is looked at.
 */
export async function attemptSignIn(ctx: Context, args: AttemptArguments, clientId?: string): Promise<SignInAttempt> {
  const { school, form, address } = ctx.state as FormState & { school: School; address: string }
  const email = (form.get('email') ?? '').trim().toLowerCase().slice(0, 320)
  const client = clientId === undefined ? {} : { client_id: clientId }

  const refused = (await over(args.limits.perAddress(address))) ?? (await over(args.limits.perAccount(school.id, email)))
  if (refused) return { outcome: 'limited', email, retryAfterSeconds: refused.retryAfterSeconds }

  const account = await args.checkPassword(school.id, email, form.get('password') ?? '')
  if (!account) {
    await args.audit(auditEntry(ctx, 'sign_in.failed', client))
    return { outcome: 'failed', email }
  }
  await args.limits.succeeded(school.id, email)
  await args.audit(auditEntry(ctx, 'sign_in.succeeded', { account_id: account.accountId, ...client }))
  return { outcome: 'signed in', email, account }
}

/** The verdict where it is a refusal. */
export async function over(verdict: Promise<Verdict>): Promise<Verdict | undefined> {
  const answer = await verdict
  return answer.allowed ? undefined : answer
}

/** Says 429 with `Retry-After`; answers about how many minutes there are to wait. */
export function sayTooMany(ctx: Context, retryAfterSeconds: number): number {
  ctx.status = 429
  ctx.set('Retry-After', String(Math.max(1, retryAfterSeconds)))
  return Math.max(1, Math.ceil(retryAfterSeconds / 60))
}
