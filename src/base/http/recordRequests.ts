import type { IncomingMessage } from 'node:http'
import type { Middleware } from 'koa'
import { toPublicId } from '../ids.ts'
import type { Log } from '../log/log.ts'
import type { Tracing } from '../log/tracing.ts'
import type { LoopOwner, LoopWatch } from '../process/loopWatch.ts'
import type { BegunRequests } from './begunRequests.ts'
import type { Metrics } from './metrics.ts'
import { operationOf } from './operationOf.ts'
import type { CompletedRequest, ReportBlock } from './reportBlock.ts'
import { callerTrace, endRequestSpan, startRequestSpan } from './requestSpan.ts'
import type { RequestState } from './requestState.ts'

export type RecordRequest = (request: IncomingMessage, answered: CompletedRequest) => void

const wellFormedId = /^[\x21-\x7e]{1,128}$/
const unprintable = /[^\x20-\x7e]/g
const longestUserAgent = 200

/** Returns the text of a `User-Agent` header for the log: printable ASCII, bounded. */
function userAgentOf({ headers }: IncomingMessage): string | undefined {
  const text = headers['user-agent']
  return text?.slice(0, longestUserAgent).replace(unprintable, '?')
}

/**
 * Returns a function that counts a request and writes one line for it. The query is left out: it may contain codes, state and hints.
 * `cleanPath` removes from the path what must not be logged. The line consists of members that are known to hold no secret, so nothing
 * searches them.
 */
export function createRecorder(
  { log, metrics }: { log: Log; metrics: Pick<Metrics, 'observe'> },
  cleanPath: (path: string) => string,
): RecordRequest {
  return (request, { requestId, school, operation, path, status, milliseconds, address, clientId, accountId, problem, trace }) => {
    metrics.observe({ path, operation, status, seconds: milliseconds / 1000 })
    if (!log.isLevelEnabled('info')) return
    const theirId = request.headers['x-request-id']
    log.request({
      request_id: requestId,
      school,
      operation,
      method: request.method ?? '',
      path: cleanPath(path).slice(0, 200),
      status,
      error: problem?.code,
      limit: problem?.limit,
      milliseconds: Math.round(milliseconds * 10) / 10,
      client_id: clientId,
      account_id: accountId === undefined ? undefined : toPublicId('acc', accountId),
      address,
      user_agent: userAgentOf(request),
      client_request_id: typeof theirId === 'string' && wellFormedId.test(theirId) ? theirId : undefined,
      trace_id: trace?.traceId,
      span_id: trace?.spanId,
    })
  }
}

export interface RecordArguments {
  record: RecordRequest
  /** Measures how long requests block the event loop. */
  loop: LoopWatch
  reportBlock: ReportBlock
  tracing?: Tracing | undefined
  begunRequests?: BegunRequests
}

/**
 * Collects the blocks of one request until it has been answered, and reports the later ones immediately. Connections that a request opens
 * keep the owner of their time for as long as they are open, so it refers to nothing else of the request.
 */
function watchBlocks(reportBlock: ReportBlock): LoopOwner & { end(answered: CompletedRequest): void } {
  let longestMs = 0
  let done: CompletedRequest | undefined
  return {
    blocked(milliseconds) {
      longestMs = Math.max(longestMs, milliseconds)
      if (done) reportBlock(milliseconds, done)
    },
    end(answered) {
      done = answered
      if (longestMs > 0) reportBlock(longestMs, answered)
    },
  }
}

/** Records every request except those that the service sends to itself. */
export function recordRequests({ record, loop, reportBlock, tracing, begunRequests }: RecordArguments): Middleware<RequestState> {
  return async (ctx, next) => {
    if (ctx.state.isOwn) return next()
    const begun = begunRequests?.get(ctx.req)
    const start = begun?.since ?? performance.now()
    const { path } = ctx
    const caller = callerTrace(ctx.req)
    const span = begun ? begun.span : tracing && startRequestSpan(tracing, ctx.req, caller)
    ctx.state.trace = span ?? caller
    ctx.state.resumed = loop.resumed
    const blocks = watchBlocks(reportBlock)
    try {
      await loop.run(blocks, () => (span && tracing ? tracing.within(span, next) : next()))
    } finally {
      loop.pause()
      const { requestId, school, address, clientId, accountId, problem, trace } = ctx.state
      const answered = {
        ...{ requestId, address, path, clientId, accountId, problem, trace },
        school: school?.slug,
        operation: operationOf(ctx),
        status: ctx.status,
        milliseconds: performance.now() - start,
      }
      record(ctx.req, answered)
      blocks.end(answered)
      // After this middleware, Koa renders objects as JSON.
      loop.run(blocks, () => undefined)
      if (span) endRequestSpan(span, ctx.req, answered)
    }
  }
}
