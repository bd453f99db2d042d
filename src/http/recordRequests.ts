import type { IncomingMessage } from 'node:http'
import type { Middleware } from 'koa'
import type { Log } from '../lib/log.ts'
import type { Metrics } from './metrics.ts'
import type { RequestState } from './requestState.ts'

/** A request that has been answered. */
export interface AnsweredRequest {
  requestId: string
  school: string | undefined
  path: string
  status: number
  milliseconds: number
  address: string
}

export type RecordRequest = (request: IncomingMessage, answered: AnsweredRequest) => void

const wellFormedId = /^[\x21-\x7e]{1,128}$/

/**
 * Returns a function that counts a request and writes one line for it. The query is left out: it may contain codes, state and hints.
 * `cleanPath` removes from the path what must not be logged.
 */
export function createRecorder(
  { log, metrics }: { log: Log; metrics: Pick<Metrics, 'observe'> },
  cleanPath: (path: string) => string,
): RecordRequest {
  return (request, { requestId, school, path, status, milliseconds, address }) => {
    const method = request.method ?? ''
    metrics.observe({ path, method, status, seconds: milliseconds / 1000 })
    if (!log.isLevelEnabled('info')) return
    const theirId = request.headers['x-request-id']
    log.request({
      request_id: requestId,
      school,
      method,
      path: cleanPath(path).slice(0, 200),
      status,
      milliseconds: Math.round(milliseconds * 10) / 10,
      address,
      client_request_id: typeof theirId === 'string' && wellFormedId.test(theirId) ? theirId : undefined,
    })
  }
}

/** Records every request except those that the service sends to itself. */
export function recordRequests(record: RecordRequest): Middleware<RequestState> {
  return async (ctx, next) => {
    if (ctx.state.isOwn) return next()
    const start = performance.now()
    const { path } = ctx
    try {
      await next()
    } finally {
      const { requestId, school, address } = ctx.state
      record(ctx.req, { requestId, school: school?.slug, path, status: ctx.status, milliseconds: performance.now() - start, address })
    }
  }
}
