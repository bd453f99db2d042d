import type { Context, Middleware } from 'koa'
import { allowedScopes } from '../domain/accounts/allowedScopes.ts'
import { findConsenting } from './consentInteraction.ts'
import { allowedAgain, requestedScopes } from './consentScopes.ts'
import { openInteraction } from './openInteraction.ts'
import { pageProblem } from './pageProblem.ts'
import type { PagesArguments } from './pagesArguments.ts'
import type { Presenter } from './presenter.ts'

/** Shows the question that the engine waits for. Changes nothing. */
export function showInteraction(args: PagesArguments, present: Presenter): Middleware {
  return async (ctx: Context) => {
    const open = await openInteraction(ctx, args)
    const { prompt } = open.interaction
    if (prompt.name === 'login') {
      // The app named the account that it expects (id_token_hint): whoever signs in as another one is asked again.
      const isAnother = open.accountId !== undefined && prompt.reasons.includes('id_token_hint')
      return present.signIn(ctx, open, isAnother ? { error: { key: 'sign_in.another_expected' } } : {})
    }
    if (prompt.name !== 'consent') throw pageProblem('bad_request', 'invalid_request', 'This page cannot answer what the app asked for.')
    if (ctx.query.account === 'other') return present.signIn(ctx, open, { isSwitch: true })
    const consenting = await findConsenting(ctx, args, open)
    if (!consenting) return present.signIn(ctx, open, { error: { key: 'sign_in.account_gone' } })
    const requested = requestedScopes(open.interaction, args.scopes)
    const { accountId } = consenting.person
    const before = await allowedScopes(args.database.sql, ctx.state.school.id, { accountId, clientId: open.clientId })
    return present.consent(ctx, open, {
      requested,
      allowed: allowedAgain(requested, before),
      grantable: args.grantable(consenting.person.role),
      signedIn: consenting.signedIn,
    })
  }
}
