import type { Context } from 'koa'
import type { PageServices } from './pagesArguments.ts'
import type { SignedInAccount } from './steps/signInStep.ts'

/**
 * Remembers the browser of a completed sign-in, and e-mails the person if it had never signed in to their account. A browser that fails a
 * later step is not remembered. The sign-in that follows the sign-up sends nothing.
 */
export async function signInCompleted(
  ctx: Context,
  { knownBrowsers, notify }: PageServices,
  { accountId, email, signedInAt, isNew = false }: SignedInAccount,
): Promise<void> {
  const isKnown = await knownBrowsers.remember(ctx, { email, signedInAt })
  if (!isKnown && !isNew) await notify(ctx, accountId, 'new_sign_in', {})
}
