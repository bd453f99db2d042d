import type { Middleware } from 'koa'

/** Sets the headers of every response. Pages add a Content-Security-Policy; no other response is a document. */
export function securityHeaders(): Middleware {
  return async (ctx, next) => {
    ctx.set('X-Content-Type-Options', 'nosniff')
    ctx.set('Referrer-Policy', 'no-referrer')
    ctx.set('X-Frame-Options', 'DENY')
    ctx.set('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'; base-uri 'none'")
    await next()
    // Responses without Cache-Control are not cached.
    if (ctx.response.is('html') && !ctx.response.get('Cache-Control')) ctx.set('Cache-Control', 'no-store')
  }
}

/** Browsers use https only from now on. Set once the school, and so its scheme, is known. */
export const strictTransport = 'max-age=31536000'
