import type Koa from 'koa'
import type { Context, Middleware } from 'koa'
import type { Log } from '../log/log.ts'
import { Problem } from '../problem.ts'
import { createKoa } from './createKoa.ts'
import { allowMethods } from './methods.ts'
import { isPrivateHost } from './privateHost.ts'
import { respondWithProblem } from './problems.ts'
import { requestExcess } from './requestLimits.ts'
import { logResponseErrors } from './responseErrors.ts'

export interface ReadinessReport {
  status: 'ready' | 'degraded' | 'not ready'
  /** `ok` or the reason, by part. */
  checks: Record<string, string>
  /** The parts that are away while the process serves requests. */
  degraded: string[]
}

export interface AdminArguments {
  log: Log
  /** Host names that requests may use, in addition to addresses and names that nobody can register. */
  hosts: readonly string[]
  /** Returns the body of `/readyz`. With `isStrict`, the process is ready only if every request can be served. */
  readiness(options: { isStrict: boolean }): Promise<ReadinessReport>
  metrics(): Promise<{ type: string; text: string }>
  /** Handlers of other paths, in order. Each calls `next` for paths that are not its own. */
  handlers(): readonly Middleware[]
}

/** The private port: `/livez`, `/readyz`, `/metrics`, and the paths of the handlers. Never routed by the gateway. */
export function createAdmin({ log, hosts, readiness, metrics, handlers }: AdminArguments): Koa {
  const app = createKoa()
  app.on('error', logResponseErrors(log))
  app.use(async (ctx) => {
    const excess = requestExcess(ctx.req)
    if (excess) return void respondWithProblem(ctx, excess)
    if (!isPrivateHost(ctx.get('host'), hosts)) return refuseHost(ctx, log)
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

async function tryEach([handler, ...others]: readonly Middleware[], ctx: Context): Promise<void> {
  await handler?.(ctx, () => tryEach(others, ctx))
}

function refuseHost(ctx: Context, log: Log): void {
  const problem = new Problem('misdirected_request', {
    description: 'Host must be an IP address, a name of the private network, or one of ADMIN_HOSTS.',
  })
  const requestId = respondWithProblem(ctx, problem)
  log.warn(
    { host: ctx.get('host').slice(0, 100), address: ctx.req.socket.remoteAddress, request_id: requestId },
    'private port called by a foreign name',
  )
}
