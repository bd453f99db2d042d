import type { Middleware } from 'koa'

/**
 * Closes connections whose request body does not arrive within this time, even if no handler reads it. Routes of large bodies have a
 * separate limit.
 */
export function arriveWithin(seconds: number, takesLonger: (path: string) => boolean): Middleware {
  return (ctx, next) => {
    const { req: request } = ctx
    if (request.complete || takesLonger(ctx.path)) return next()
    const timer = setTimeout(() => request.complete || request.destroy(), seconds * 1000).unref()
    request.once('close', () => clearTimeout(timer)).once('end', () => clearTimeout(timer))
    return next()
  }
}
