import type { Context } from 'koa'
import { browserName } from '../../lib/browserName.ts'
import { readBrowserSession } from '../../oidc/browserSession.ts'
import { interactionPath } from '../../oidc/endpoints.ts'
import { auditEntry } from '../auditEntry.ts'
import { newProgress, withCompleted } from '../steps/stepProgress.ts'
import type { StepRunner } from '../steps/stepRunner.ts'
import type { AccountArguments } from './accountArguments.ts'
import { accountSignInHost } from './accountSignInHost.ts'

/**
 * Signs a person in who has just created an account: the e-mail link and the chosen password complete the step of the password, and other
 * needed steps follow. Leads to `target`, which can be the authorization request of an app. Returns false without signing in if the browser
 * is signed in with another account and an app waits for a sign-in: the request of the app belongs to that session.
 */
export async function signInAfterSignUp(
  ctx: Context,
  args: AccountArguments,
  runner: StepRunner,
  { accountId, email, target }: { accountId: string; email: string; target: string | undefined },
): Promise<boolean> {
  const password = args.steps.find(({ name }) => name === 'password')
  if (!password) return false
  const isRequestOfApp = target?.startsWith(`${interactionPath}/`) === true
  if (isRequestOfApp && (await readBrowserSession(ctx, await args.provider(ctx)))) return false
  const signedInAt = Math.floor(args.keyring.now() / 1000)
  const details = { via: 'sign_up', signed_in_at: signedInAt, browser: browserName(ctx.get('User-Agent')) }
  await args.audit(auditEntry(ctx, 'sign_in.succeeded', { account_id: accountId, details }))
  const account = { accountId, signedInAt, email, isNew: true, secondFactor: 'none' } as const
  await runner.goOn(accountSignInHost(ctx, args, target), 'login', withCompleted(newProgress(), password, { kind: 'done', account }))
  return true
}
