import type { Context, Middleware } from 'koa'
import { subjectOf } from '../oidc/claims.ts'
import type { School } from '../policy/school.ts'
import { auditEntry } from './auditEntry.ts'
import type { FormState } from './formBody.ts'
import { finishInteraction, type OpenInteraction, openInteraction } from './openInteraction.ts'
import type { PagesArguments, Verdict } from './pagesArguments.ts'
import type { Presenter } from './presenter.ts'

/**
 * Checks an address and a password. Every failure looks the same and is counted, by account and by network address,
 * before the password is looked at.
 */
export function answerSignIn(args: PagesArguments, present: Presenter): Middleware {
  return async (ctx: Context) => {
    const { school, form, address } = ctx.state as FormState & { school: School; address: string }
    const open = await openInteraction(ctx, args)
    const email = (form.get('email') ?? '').trim().toLowerCase().slice(0, 320)
    const isSwitch = open.interaction.prompt.name === 'consent'

    const refused = (await over(args.limits.perAddress(address))) ?? (await over(args.limits.perAccount(school.id, email)))
    if (refused) {
      ctx.status = 429
      ctx.set('Retry-After', String(refused.retryAfterSeconds))
      const minutes = Math.max(1, Math.ceil(refused.retryAfterSeconds / 60))
      return present.signIn(ctx, open, { error: present.texts.text('sign_in.too_many', { minutes }), email, isSwitch })
    }

    const account = await args.checkPassword(school.id, email, form.get('password') ?? '')
    if (!account) {
      await args.audit(auditEntry(ctx, 'sign_in.failed', { client_id: open.clientId }))
      ctx.status = 400
      return present.signIn(ctx, open, { error: present.texts.text('sign_in.failed'), email, isSwitch })
    }
    await args.limits.succeeded(school.id, email)
    await endOtherSession(ctx, open, subjectOf(account.accountId))
    await args.audit(auditEntry(ctx, 'sign_in.succeeded', { account_id: account.accountId, client_id: open.clientId }))
    // Not merged: an earlier answer in this interaction may have been somebody else's.
    return finishInteraction(ctx, open, { login: { accountId: subjectOf(account.accountId), amr: ['pwd'] } }, { merge: false })
  }
}

async function over(verdict: Promise<Verdict>): Promise<Verdict | undefined> {
  const answer = await verdict
  return answer.allowed ? undefined : answer
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
