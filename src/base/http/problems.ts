import type { Context, Middleware } from 'koa'
import type { Log } from '../log/log.ts'
import { Problem } from '../problem.ts'
import { isOutage } from '../process/outage.ts'
import type { School } from '../school.ts'
import { newRequestId } from './requestId.ts'
import { requestIds } from './requestIds.ts'
import type { RequestState } from './requestState.ts'

export interface ProblemBody {
  error: string
  error_description: string
  error_uri?: string
  documentation?: string
  request_id: string
  details?: Problem['details']
}

/** The page about errors of this URL, with an anchor for each code (RFC 6749 section 5.2, `error_uri`). */
export type MoreAbout = (path: string, school: School | undefined) => string | undefined

/**
 * Responds to every error that is thrown further down. A `Problem` determines its response; any other error is a bug: it is logged with the
 * request id, and the response contains no details.
 */
export function renderProblems(log: Log, moreAbout: MoreAbout = () => undefined): Middleware<RequestState> {
  return async (ctx, next) => {
    try {
      await next()
      if (ctx.status === 404 && ctx.body === undefined) throw new Problem('not_found', { description: nothingAt(ctx.path) })
    } catch (error) {
      const problem = asProblem(error)
      if (problem.status >= 500) logFailure(log, error, requestIds(ctx.state))
      ctx.state.problem = problem
      ctx.remove('ETag')
      ctx.remove('Last-Modified')
      ctx.status = problem.status
      ctx.set(problem.headers)
      ctx.set('Cache-Control', 'no-store')
      if (problem.code === 'invalid_token' || problem.code === 'insufficient_scope')
        ctx.set('WWW-Authenticate', challenge(problem, ctx.state))
      ctx.type = 'application/json'
      ctx.body = bodyOf(problem, ctx.state.requestId, {
        page: moreAbout(ctx.path, ctx.state.school),
        documentation: documentationFor(ctx.state.school, ctx.get('authorization')),
      })
    }
  }
}

/** Logs a failed request: as a warning without a stack if the service itself refused it because of its load, otherwise as an error. */
export function logFailure(log: Log, error: unknown, ids: Partial<ReturnType<typeof requestIds>>): void {
  if (error instanceof Problem && error.code === 'temporarily_unavailable') {
    const reason = error.cause instanceof Error ? error.cause.message : error.description
    log.warn({ reason, ...ids }, 'request refused, too busy')
  } else log.error({ err: error, ...ids }, 'request failed')
}

export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  const status: { status?: unknown; expose?: unknown } = error ?? {}
  // Koa and its libraries throw http-errors: an exposed one is caused by the request.
  if (status.expose === true) {
    if (status.status === 413) return new Problem('payload_too_large', { cause: error })
    if (status.status === 415) return new Problem('unsupported_media_type', { cause: error })
    if (status.status === 503) return unavailable(error)
    return new Problem('invalid_request', { cause: error })
  }
  if (error instanceof URIError)
    return new Problem('invalid_request', { description: 'The address is not valid percent-encoding.', cause: error })
  if (isOutage(error)) return unavailable(error)
  return new Problem('server_error', { cause: error })
}

const unavailable = (cause: unknown): Problem => new Problem('temporarily_unavailable', { headers: { 'Retry-After': '1' }, cause })

/** Responds with a problem as JSON (RFC 6749 section 5.2). `page` explains the errors, with an anchor for each code. */
export function bodyOf(
  { code, description, details }: Problem,
  requestId: string,
  { page, documentation }: { page?: string | undefined; documentation?: string | undefined } = {},
): ProblemBody {
  return {
    error: code,
    error_description: description,
    ...(page === undefined ? {} : { error_uri: `${page}#${code}` }),
    ...(documentation === undefined ? {} : { documentation }),
    request_id: requestId,
    ...(details.length > 0 ? { details } : {}),
  }
}

/** Responds with a problem outside of the public pipeline. Returns the id of the request. */
export function respondWithProblem(ctx: Context, problem: Problem): string {
  const requestId = newRequestId()
  ctx.status = problem.status
  ctx.set({ 'Request-Id': requestId, 'Cache-Control': 'no-store', ...problem.headers })
  ctx.type = 'application/json'
  ctx.body = bodyOf(problem, requestId)
  return requestId
}

/** Returns the challenge of RFC 6750 section 3 with the link of RFC 9728 section 5.1. */
export function challenge(problem: Problem, { school, challengePath = '' }: Partial<RequestState>): string {
  const scopes = problem.requiredScopes
  const parts = [
    `error="${problem.code}"`,
    `error_description="${problem.description}"`,
    ...(scopes.length > 0 ? [`scope="${scopes.join(' ')}"`] : []),
    ...(school ? [`resource_metadata="${school.issuer}/.well-known/oauth-protected-resource${challengePath}"`] : []),
  ]
  return `Bearer ${parts.join(', ')}`
}

/** Names the walkthrough to callers without a token: a client may show its user the body of a response only. */
export const documentationFor = (school: School | undefined, authorization = ''): string | undefined =>
  school && authorization === '' ? `${school.issuer}/auth.md` : undefined

function nothingAt(path: string): string {
  return `There is nothing at ${path.slice(0, 100)}.`
}
