import Koa, { type Context, type Middleware } from 'koa'
import { allowMethods } from './methods.ts'

export interface AdminArguments {
  /** Checks that must pass for this process to take requests, by name. Each throws or returns the problem. */
  checks(): Record<string, () => Promise<void>>
  /** Additional members of `/readyz`. They do not change the status. */
  details(): Record<string, unknown>
  isStopping(): boolean
  metrics(): Promise<{ type: string; text: string }>
  /** Handlers of other paths, in order. Each calls `next` for paths that are not its own. */
  handlers(): readonly Middleware[]
}

/** The private port: `/livez`, `/readyz`, `/metrics`, and the paths of the handlers. Never routed by the gateway. */
export function createAdmin({ checks, details, isStopping, metrics, handlers }: AdminArguments): Koa {
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
      const report = await readiness(checks())
      if (isStopping()) report.stopping = 'this process is shutting down'
      const isReady = Object.values(report).every((state) => state === 'ok')
      ctx.status = isReady ? 200 : 503
      ctx.body = { status: isReady ? 'ready' : 'not ready', checks: report, ...details() }
    }
  })
  return app
}

/** Calls the first handler; its `next` calls the following one. */
async function tryEach([handler, ...others]: readonly Middleware[], ctx: Context): Promise<void> {
  await handler?.(ctx, () => tryEach(others, ctx))
}

async function readiness(checks: ReturnType<AdminArguments['checks']>): Promise<Record<string, string>> {
  const outcomes = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      try {
        await check()
        return [name, 'ok']
      } catch (error) {
        return [name, error instanceof Error ? error.message : 'failed']
      }
    }),
  )
  return Object.fromEntries(outcomes)
}
