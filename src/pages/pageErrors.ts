import type { Context, Middleware } from 'koa'
import type { Log } from '../lib/log.ts'
import { isOutage } from '../lib/outage.ts'
import { Problem, problems } from '../lib/problem.ts'
import { type PageError, showErrorPage } from './errorPage.ts'
import type { FindSetting } from './pageContext.ts'
import type { PageErrorKind } from './pageProblem.ts'
import type { Views } from './templates.ts'

/** Shows what the pages throw as a page: a person is looking. What is no `Problem` is a bug of ours and is logged. */
export function pageErrors({ views, log, pageContext }: { views: Views; log: Log; pageContext: FindSetting }): Middleware {
  return async (ctx: Context, next) => {
    try {
      await next()
    } catch (error) {
      const problem = asProblem(error)
      // A refusal of our own, such as too many sign-ins at a time, is no failure. What the engine reports was logged where it happened.
      if (problem.status >= 500 && problem !== error && !isUnavailable(error)) {
        log.error({ err: error, request_id: ctx.state.requestId }, 'page failed')
      }
      ctx.set(problem.headers)
      showErrorPage(ctx, views, await pageContext(ctx), pageErrorOf(problem, ctx.state.requestId))
    }
  }
}

function pageErrorOf(problem: Problem, requestId: string | undefined): PageError {
  return {
    // A page's 401 would need a challenge, and there is none for people.
    status: problem.status === 401 ? 400 : problem.status,
    error: problem.code,
    errorDescription: problem.description,
    requestId,
    kind: problem.details[0]?.code as PageErrorKind | undefined,
  }
}

function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (isSessionNotFound(error)) {
    const description = 'This sign-in has ended, or it was started in another browser.'
    return new Problem('invalid_request', { description, details: [{ code: 'interaction_expired', message: description }], cause: error })
  }
  if (isUnavailable(error) || isOutage(error)) {
    const { description } = problems.temporarily_unavailable
    const details = [{ code: 'unavailable' satisfies PageErrorKind, message: description }]
    return new Problem('temporarily_unavailable', { details, headers: { 'Retry-After': '2' }, cause: error })
  }
  return new Problem('server_error', { cause: error })
}

/** The engine's word for a store that does not answer; it was logged where it happened. */
function isUnavailable(error: unknown): boolean {
  return error instanceof Error && 'error' in error && error.error === 'temporarily_unavailable'
}

/** The engine's word for a missing, foreign or used interaction. */
export function isSessionNotFound(error: unknown): boolean {
  return error instanceof Error && error.name === 'SessionNotFound'
}
