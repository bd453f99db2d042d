import type { Context, Middleware } from 'koa'
import { isHtml } from './isHtml.ts'

const allowHeaders =
  'authorization, content-type, accept, if-match, if-none-match, idempotency-key, dry-run, agent-reason, mcp-protocol-version, mcp-method, mcp-name'
const exposeHeaders =
  'Link, ETag, RateLimit, RateLimit-Policy, Retry-After, Request-Id, Idempotent-Replayed, Dry-Run, Location, Content-Location, Deprecation, Sunset, WWW-Authenticate'

export interface CorsRules {
  allowedOrigins: readonly string[]
  isPage(path: string): boolean
}

/**
 * Allows every origin to read everything except pages, and never with credentials. Tokens are sent in headers that another site's page does
 * not have, so it cannot abuse them.
 */
export function cors({ allowedOrigins, isPage }: CorsRules): Middleware {
  const any = allowedOrigins.includes('*')
  return async (ctx, next) => {
    if (isPage(ctx.path)) return next()
    const { res } = ctx
    const { origin = '' } = ctx.req.headers
    if (!any) ctx.vary('Origin')
    const allowed = any ? '*' : allowedOrigins.includes(origin) ? origin : undefined
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
      ctx.set('Access-Control-Allow-Headers', allowHeaders)
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

/** True for a page that shares its path with documents: its Cache-Control is that of the pages. */
const isUnstoredPage = ({ res }: Context): boolean => isHtml(res) && res.getHeader('Cache-Control') === 'no-store'
