import type { KnownBrowsers } from './knownBrowser.ts'
import type { NotifyPerson } from './notifyPerson.ts'
import type { StepRunnerArguments } from './steps/stepRunner.ts'

/**
 * Remembers the browser of a completed sign-in, and e-mails the person if it had never signed in to their account. A browser that fails a
 * later step is not remembered. The sign-in that follows the sign-up sends nothing.
 */
export const completedSignIn =
  ({ knownBrowsers, notify }: { knownBrowsers: KnownBrowsers; notify: NotifyPerson }): StepRunnerArguments['signedIn'] =>
  async (ctx, { accountId, email, signedInAt, isNew = false }) => {
    const isKnown = await knownBrowsers.remember(ctx, { email, signedInAt })
    if (!isKnown && !isNew) await notify(ctx, accountId, 'new_sign_in', {})
  }
