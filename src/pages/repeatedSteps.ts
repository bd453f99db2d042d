import type { Context, Middleware } from 'koa'
import { decisionOf, endedPage, findEnd, isRepeatable } from '../identity/oidc/endedInteractions.ts'
import { endpoints } from '../identity/oidc/endpoints.ts'
import type { Stores } from '../identity/oidc/stores.ts'
import { isInteractionOver } from './pageErrors.ts'
import { pageProblem } from './pageProblem.ts'
import { seeOther } from './seeOther.ts'

/**
 * Serves the pages of an interaction that this browser has completed: the same decision leads to the same redirect for a minute, and later
 * the page says what happened.
 */
export function repeatedSteps(stores: Stores): Middleware {
  return async (ctx: Context, next) => {
    try {
      await next()
    } catch (error) {
      const uid = String(ctx.params.uid)
      const ended = isInteractionOver(error) ? await findEnd(ctx, stores, uid) : undefined
      if (!ended) throw error
      const isSame = ctx.method === 'POST' ? ended.decision === decisionOf(ctx) : ended.outcome === 'continued'
      if (!isSame || !isRepeatable(ended)) {
        const page = endedPage(ended)
        throw page ? pageProblem(page.kind, 'invalid_request', page.description) : error
      }
      // The engine's address compares the account, and redirects.
      seeOther(ctx, `${endpoints.authorization.path}/${encodeURIComponent(uid)}`)
    }
  }
}
