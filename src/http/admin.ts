import Koa, { type Context, type Middleware } from 'koa'
import { allowMethods } from './methods.ts'

export interface ReadinessReport {
  status: 'ready' | 'degraded' | 'not ready'
  /** `ok` or the reason, by part. */
  checks: Record<string, string>
  /** The parts that are away while the process serves requests. */
  degraded: string[]
}

export interface AdminArguments {
  /** Returns the body of `/readyz`. With `isStrict`, the process is ready only if every request can be served. */
  readiness(options: { isStrict: boolean }): Promise<ReadinessReport>
  metrics(): Promise<{ type: string; text: string }>
  /** Handlers of other paths, in order. Each calls `next` for paths that are not its own. */
  handlers(): readonly Middleware[]
}

/** The private port: `/livez`, `/readyz`, `/metrics`, and the paths of the handlers. Never routed by the gateway. */
export function createAdmin({ readiness, metrics, handlers }: AdminArguments): Koa {
  const app = new Koa()
  app.use(async (ctx) => {
    if (!['/livez', '/readyz', '/metrics'].includes(ctx.path)) return await tryEach(handlers(), ctx)
    if (allowMethods(ctx, ['GET', 'HEAD']) === 'answered') return
    ctx.set('Cache-Control', 'no-store')
    if (ctx.path === '/livez') ctx.body = { status: 'alive' }
    else if (ctx.path === '/metrics') {
      const { type, text } = await metrics()
      ctx.type = type
      ctx.body = text
    } else {
      const report = await readiness({ isStrict: ctx.querystring === 'strict=1' })
      ctx.status = report.status === 'not ready' ? 503 : 200
      ctx.body = report
    }
  })
  return app
}

/** Calls the first handler; its `next` calls the following one. */
async function tryEach([handler, ...others]: readonly Middleware[], ctx: Context): Promise<void> {
  await handler?.(ctx, () => tryEach(others, ctx))
}
