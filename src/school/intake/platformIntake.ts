import { createHash, timingSafeEqual } from 'node:crypto'
import type { Context, Middleware } from 'koa'
import { refuseEncodedBodies } from '../../base/http/contentEncoding.ts'
import { allowMethods } from '../../base/http/methods.ts'
import { renderProblems } from '../../base/http/problems.ts'
import { requireWithin } from '../../base/http/rateLimit.ts'
import { readJson } from '../../base/http/readJson.ts'
import { newRequestId } from '../../base/http/requestId.ts'
import type { Log } from '../../base/log/log.ts'
import { Problem } from '../../base/problem.ts'
import { createRateLimits } from '../../database/redis/rateLimits.ts'
import { createRoutes } from '../../engine/rest/findRoute.ts'
import { platformOpenApi } from './platformOpenApi.ts'
import { platformOperations } from './platformOperations.ts'
import { type PlatformOperation, platformPath, type ReportContext, runReport } from './runReport.ts'

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

const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Wrong keys of one address. Above it they get 429; the right key is always accepted, since others may share the address. */
const wrongKeys = { name: 'wrong_platform_keys', requests: 30, windowSeconds: 60 }

/**
 * Returns a function that checks the `Authorization` header of a request against the keys, in a time that does not depend on its value. The
 * first wrong key of an address within a minute is logged.
 * @throws Problem invalid_token, rate_limited
 */
function createKeyCheck(keys: readonly string[], log: Log): (header: string | undefined, address: string) => Promise<void> {
  const hashes = keys.map(hashOf)
  const failures = createRateLimits({ prefix: 'platform', keysInMemory: 1000 })
  return async (header, address) => {
    const [, sent = ''] = /^Bearer +([\x21-\x7e]{1,1000})$/i.exec(header ?? '') ?? []
    const hash = hashOf(sent)
    const matches = hashes.filter((known) => timingSafeEqual(known, hash))
    if (matches.length > 0) return
    const verdict = await failures.consume(wrongKeys, address)
    if (verdict.remaining === wrongKeys.requests - 1) log.warn({ address }, 'platform request with a wrong key refused')
    requireWithin(wrongKeys, verdict)
    throw new Problem('invalid_token', { description: 'The platform key is missing or wrong. Send it as Authorization: Bearer KEY.' })
  }
}
