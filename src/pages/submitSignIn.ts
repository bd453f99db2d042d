import type { Context, Middleware } from 'koa'
import { subjectOf } from '../oidc/claims.ts'
import { attemptSignIn, sayTooMany } from './attemptSignIn.ts'
import { finishInteraction, type OpenInteraction, openInteraction } from './openInteraction.ts'
import type { PagesArguments } from './pagesArguments.ts'
import type { Presenter } from './presenter.ts'

/** Takes the sign-in of an interaction: the engine goes on with whoever it is. */
export function answerSignIn(args: PagesArguments, present: Presenter): Middleware {
  return async (ctx: Context) => {
    const open = await openInteraction(ctx, args)
    const isSwitch = open.interaction.prompt.name === 'consent'
    const attempt = await attemptSignIn(ctx, args, open.clientId)
    const { email } = attempt
    if (attempt.outcome === 'limited') {
      const minutes = sayTooMany(ctx, attempt.retryAfterSeconds)
      return present.signIn(ctx, open, { error: { key: 'sign_in.too_many', values: { minutes } }, email, isSwitch })
    }
    if (attempt.outcome === 'failed') {
      ctx.status = 400
      return present.signIn(ctx, open, { error: { key: 'sign_in.failed' }, email, isSwitch })
    }
    const { accountId, signedInAt } = attempt.account
    await endOtherSession(ctx, open, subjectOf(accountId))
    // Not merged: an earlier answer in this interaction may have been somebody else's.
    const login = { accountId: subjectOf(accountId), ts: signedInAt, amr: ['pwd'] }
    return finishInteraction(ctx, open, { login }, { merge: false })
  }
}

/**
 * Ends the session of another account before this one signs in, so that the engine starts a new one. Left to itself the engine
 * would send a page that submits itself by script, which our pages never allow.
 */
async function endOtherSession(ctx: Context, { provider, interaction }: OpenInteraction, subject: string): Promise<void> {
  const session = await provider.Session.get(ctx)
  if (session.accountId === undefined || session.accountId === subject) return
  await session.destroy()
  interaction.session = undefined
  await interaction.persist()
}
