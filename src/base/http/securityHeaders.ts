import type { Middleware } from 'koa'
import { isHtml } from './isHtml.ts'

/** Sets the headers of every response. Pages add a Content-Security-Policy; no other response is a document. */
export function securityHeaders(): Middleware {
  return async ({ res }, next) => {
    res.setHeader('X-Content-Type-Options', 'nosniff')
    res.setHeader('Referrer-Policy', 'no-referrer')
    res.setHeader('X-Frame-Options', 'DENY')
    res.setHeader('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'; base-uri 'none'")
    await next()
    // Responses without Cache-Control are not cached.
    if (isHtml(res) && !res.hasHeader('Cache-Control')) res.setHeader('Cache-Control', 'no-store')
  }
}

/** Browsers use https only from now on. Set once the school, and so its scheme, is known. */
export const strictTransport = 'max-age=31536000'
