import type { Middleware } from 'koa'

/**
 * Cuts off who sends a body more slowly than that, whether anybody reads it or not. Addresses that take large bodies keep a time of
 * their own.
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
