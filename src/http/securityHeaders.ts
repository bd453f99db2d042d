import type { Middleware } from 'koa'

/** Headers that every answer carries. Pages add their own Content-Security-Policy; everything else is never a document. */
export function securityHeaders(): Middleware {
  return async (ctx, next) => {
    ctx.set('X-Content-Type-Options', 'nosniff')
    ctx.set('Referrer-Policy', 'no-referrer')
    ctx.set('X-Frame-Options', 'DENY')
    ctx.set('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'; base-uri 'none'")
    await next()
    // A page that does not say how long it may be kept is kept by nobody.
    if (ctx.response.is('html') && !ctx.response.get('Cache-Control')) ctx.set('Cache-Control', 'no-store')
  }
}

/** Browsers come back over https only. Set once the school, and so its scheme, is known. */
export const strictTransport = 'max-age=31536000'
