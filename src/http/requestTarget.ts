import type { Middleware } from 'koa'

/**
 * Brings the request target to origin-form (RFC 9112 section 3.2.1): the host of an absolute-form target is as little to be believed
 * as a `Host` header, and would otherwise reach whoever builds addresses from the request. A target that is no address at all becomes `*`,
 * where nothing is.
 */
export function originForm(): Middleware {
  return (ctx, next) => {
    const target = ctx.req.url ?? '*'
    if (target.startsWith('/') || target === '*') return next()
    const url = URL.parse(target)
    const origin = url && /^https?:$/.test(url.protocol) ? url.pathname + url.search : '*'
    ctx.req.url = origin
    ctx.originalUrl = origin
    ctx.request.originalUrl = origin
    return next()
  }
}
