import type { Context, Middleware } from 'koa'
import { refuseEncodedBodies } from '../../base/http/contentEncoding.ts'
import { allowMethods } from '../../base/http/methods.ts'
import { renderProblems } from '../../base/http/problems.ts'
import { readJson } from '../../base/http/readJson.ts'
import { newRequestId } from '../../base/http/requestId.ts'
import type { Log } from '../../base/log/log.ts'
import { Problem } from '../../base/problem.ts'
import { createRoutes } from '../../engine/rest/findRoute.ts'
import { createKeyCheck } from './platformKey.ts'
import { platformOpenApi } from './platformOpenApi.ts'
import { type PlatformOperation, platformPath } from './platformOperation.ts'
import { platformOperations } from './platformOperations.ts'
import { type ReportContext, runReport } from './runReport.ts'

export interface IntakeArguments extends ReportContext {
  /** The accepted keys; several during a rotation. */
  keys: readonly string[]
  log: Log
}

/** Limits of a report. The largest is a form with many long answers. */
const bodyLimits = { types: ['application/json'], maxBytes: 262_144, maxDepth: 8 }

/**
 * Creates the platform intake: one route for each operation, and its description at `openapi.json`. It responds to every path below
 * `platformPath`, errors included.
 */
export function createPlatformIntake({ keys, log, ...context }: IntakeArguments): Middleware {
  const routes = createRoutes<PlatformOperation>()
  for (const operation of platformOperations) routes.add('POST', platformPath + operation.path, operation)
  const checkKey = createKeyCheck(keys, log)
  let description: string | undefined

  const respond = async (ctx: Context): Promise<void> => {
    if ((ctx.req.url?.length ?? 0) > 2048) throw new Problem('uri_too_long')
    if (ctx.path === `${platformPath}/openapi.json`) {
      if (allowMethods(ctx, ['GET', 'HEAD']) === 'answered') return
      description ??= JSON.stringify(platformOpenApi())
      ctx.type = 'application/json'
      ctx.body = description
      return
    }
    await checkKey(ctx.req.headers.authorization, ctx.ip)
    if (routes.methodsAt(ctx.path).size === 0) throw new Problem('not_found')
    if (allowMethods(ctx, ['POST']) === 'answered') return
    const route = routes.find('POST', ctx.path)
    if (!route) throw new Problem('not_found')
    const { handler: operation, params } = route
    const parameter = Object.values(params)[0] ?? ''
    if (operation.parameter && !operation.parameter.form.test(parameter)) throw new Problem('not_found')
    refuseEncodedBodies(ctx)
    const body = (await readJson(ctx, bodyLimits)) ?? {}
    const { requestId } = ctx.state
    const { text, isRepeated } = await runReport({ operation, parameter, body, requestId, address: ctx.ip }, context)
    ctx.status = operation.successStatus
    ctx.type = 'application/json'
    if (isRepeated) ctx.set('Idempotent-Replayed', 'true')
    ctx.body = text
  }

  const render = renderProblems(log)
  return async (ctx) => {
    const started = performance.now()
    ctx.state.requestId = newRequestId()
    ctx.set({ 'Request-Id': ctx.state.requestId, 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' })
    await render(ctx, () => respond(ctx))
    const milliseconds = Math.round(performance.now() - started)
    log.info(
      { request_id: ctx.state.requestId, method: ctx.method, path: ctx.path.slice(0, 200), status: ctx.status, milliseconds },
      'platform request',
    )
  }
}
