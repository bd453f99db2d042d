import type { Context, Middleware } from 'koa'
import type { School } from '../school.ts'
import { isHtml } from './isHtml.ts'
import type { OriginPolicy } from './originPolicy.ts'
import { hostOf } from './tenant.ts'

const allowHeaders = [
  ...['authorization', 'content-type', 'accept', 'if-match', 'if-none-match', 'idempotency-key', 'dry-run', 'agent-reason'],
  ...['mcp-protocol-version', 'mcp-method', 'mcp-name'],
]
const exposeHeaders =
  'Link, ETag, RateLimit, RateLimit-Policy, Retry-After, Request-Id, Idempotent-Replayed, Dry-Run, Location, Content-Location, Deprecation, Sunset, WWW-Authenticate'

export interface CorsRules {
  policy: OriginPolicy
  schoolOf(host: string): School | undefined
  isPage(path: string): boolean
}

/**
 * Allows the origins of the policy to read everything except pages, and never with credentials. Tokens are sent in headers that another
 * site's page does not have, so it cannot abuse them.
 */
export function cors({ policy, schoolOf, isPage }: CorsRules): Middleware {
  return async (ctx, next) => {
    if (isPage(ctx.path)) return next()
    const { res } = ctx
    const allowed = policy(ctx.req.headers.origin ?? '', { path: ctx.path, school: schoolOf(hostOf(ctx.req)) })
    if (allowed !== '*') ctx.vary('Origin')
    const answer = (): void => {
      if (res.headersSent) return
      // The engine sets its own.
      res.removeHeader('Access-Control-Allow-Credentials')
      res.removeHeader('Access-Control-Allow-Origin')
      if (allowed === undefined || isUnstoredPage(ctx)) return
      res.setHeader('Access-Control-Allow-Origin', allowed)
      res.setHeader('Access-Control-Expose-Headers', exposeHeaders)
    }
    if (ctx.method === 'OPTIONS' && ctx.get('access-control-request-method') !== '') {
      answer()
      ctx.set('Access-Control-Allow-Methods', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS')
      ctx.vary('Access-Control-Request-Headers')
      ctx.set('Access-Control-Allow-Headers', [...new Set([...allowHeaders, ...requestedHeaders(ctx)])].join(', '))
      ctx.set('Access-Control-Max-Age', '3600')
      ctx.status = 204
      return
    }
    try {
      await next()
    } finally {
      answer()
    }
  }
}

const [maxNames, longestName] = [50, 100]
/** Facts about a connection that gateways write. A page must not let the browser of its visitor write them. */
const ofGateways = /^(?:forwarded|via|x-forwarded-.+|x-real-ip|x-client-ip|true-client-ip|cf-.+)$/

/**
 * Returns the names of headers that the page wants to send. Tracing, session and framework headers are ignored later, so they are allowed
 * here. `*` is left out: it means every header.
 */
const requestedHeaders = (ctx: Context): string[] =>
  ctx
    .get('access-control-request-headers')
    .toLowerCase()
    .split(',', maxNames)
    .map((name) => name.trim())
    .filter((name) => name.length <= longestName && /^[\w!#$%&'+.^`|~-]+$/.test(name) && !ofGateways.test(name))

/** True for a page that shares its path with documents: its Cache-Control is that of the pages. */
const isUnstoredPage = ({ res }: Context): boolean => isHtml(res) && res.getHeader('Cache-Control') === 'no-store'
