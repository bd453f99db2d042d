import type { Context, Middleware } from 'koa'
import { requestIds } from '../base/http/requestIds.ts'
import type { Log } from '../base/log/log.ts'
import { Problem } from '../base/problem.ts'
import { isOutage } from '../base/process/outage.ts'
import { type PageError, showErrorPage } from './errorPage.ts'
import type { FindPageContext } from './pageContext.ts'
import { PageProblem } from './pageProblem.ts'
import type { Views } from './templates.ts'

/** Shows thrown errors as a page. Errors that are not a `Problem` are bugs and are logged. */
export function pageErrors({ views, log, pageContext }: { views: Views; log: Log; pageContext: FindPageContext }): Middleware {
  return async (ctx: Context, next) => {
    try {
      await next()
    } catch (error) {
      const problem = asProblem(error)
      // A Problem that this service throws itself, such as too many concurrent sign-ins, is not a failure. Errors of the engine are logged
      // where they occur.
      if (problem.status >= 500 && problem !== error && !isUnavailable(error)) {
        log.error({ err: error, ...requestIds(ctx.state) }, 'page failed')
      }
      ctx.set(problem.headers)
      showErrorPage(ctx, views, await pageContext(ctx), pageErrorOf(problem, ctx.state.requestId))
    }
  }
}

function pageErrorOf(problem: Problem, requestId: string | undefined): PageError {
  return {
    // Status 401 requires a challenge, and no challenge is useful on a page.
    status: problem.status === 401 ? 400 : problem.status,
    error: problem.code,
    errorDescription: problem.description,
    requestId,
    kind: problem instanceof PageProblem ? problem.kind : undefined,
  }
}

function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (isSessionNotFound(error)) {
    const description = 'This sign-in has ended, or it was started in another browser.'
    return new PageProblem('interaction_expired', 'invalid_request', { description, cause: error })
  }
  if (isUnavailable(error) || isOutage(error)) {
    return new PageProblem('unavailable', 'temporarily_unavailable', { headers: { 'Retry-After': '2' }, cause: error })
  }
  return new Problem('server_error', { cause: error })
}

/** Returns true for the engine's error when a store is unavailable; it was logged where it occurred. */
function isUnavailable(error: unknown): boolean {
  return error instanceof Error && 'error' in error && error.error === 'temporarily_unavailable'
}

export const isInteractionOver = (error: unknown): boolean =>
  isSessionNotFound(error) || (error instanceof PageProblem && error.kind === 'interaction_expired')

export function isSessionNotFound(error: unknown): boolean {
  return error instanceof Error && error.name === 'SessionNotFound'
}
