import type { Context } from 'koa'
import type { SignIn } from '../../domain/accounts/signIn.ts'
import { normaliseEmail } from '../../lib/emailAddress.ts'
import { auditEntry } from '../auditEntry.ts'
import { submittedForm } from '../formBody.ts'
import type { KnownBrowsers } from '../knownBrowser.ts'
import type { PageAuditEntry, SignInLimits } from '../pagesArguments.ts'
import { signInDetails } from '../signInDetails.ts'

/** How an attempt ended. `email` is the entered address, for the form that is shown again; after a sign-in, that of the account. */
export type SignInAttempt =
  | { outcome: 'limited'; email: string; retryAfterSeconds: number }
  | { outcome: 'failed'; email: string }
  | { outcome: 'signed in'; email: string; account: NonNullable<Awaited<ReturnType<SignIn>>> }

export interface AttemptArguments {
  audit(entry: PageAuditEntry): Promise<void>
  checkPassword: SignIn
  knownBrowsers: KnownBrowsers
  limits: SignInLimits
}

/**
 * Checks the e-mail address and the password of the submitted form. Every failure looks the same. The address is normalised once, so
 * that the limits, the known browsers and the account are all found by the same text.
 */
export async function attemptSignIn(ctx: Context, args: AttemptArguments, clientId?: string): Promise<SignInAttempt> {
  const { school, address } = ctx.state
  const form = submittedForm(ctx)
  const typed = form.get('email') ?? ''
  const email = normaliseEmail(typed)
  const client = clientId === undefined ? {} : { client_id: clientId }

  const browser = email === undefined ? undefined : await args.knownBrowsers.find(ctx, email)
  const attempt = await args.limits.attempt({ schoolId: school.id, email, address, browser }, (turn) =>
    args.checkPassword(school.id, email, form.get('password') ?? '', turn, (accountId, signedInAt) =>
      auditEntry(ctx, 'sign_in.succeeded', { account_id: accountId, ...client, details: signInDetails(ctx, signedInAt) }),
    ),
  )
  if (attempt.outcome === 'limited') return { ...attempt, email: typed }
  if (attempt.outcome === 'failed' || email === undefined) {
    await args.audit(auditEntry(ctx, 'sign_in.failed', client))
    return { outcome: 'failed', email: typed }
  }
  const account = attempt.result
  ctx.state.accountId = account.accountId
  return { outcome: 'signed in', email, account }
}
