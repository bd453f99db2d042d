import type { Middleware } from 'koa'
import type { Log } from '../lib/log.ts'
import type { RequestState } from './requestState.ts'

const wellFormedId = /^[\x21-\x7e]{1,128}$/

/**
 * Writes one line for each request. The query is left out: it may contain codes, state and hints. `cleanPath` removes from the path what
 * must not be logged.
 */
export function accessLog(log: Log, cleanPath: (path: string) => string): Middleware<RequestState> {
  return async (ctx, next) => {
    const start = performance.now()
    const { path } = ctx
    try {
      await next()
    } finally {
      const theirId = ctx.get('x-request-id')
      log.info(
        {
          request_id: ctx.state.requestId,
          school: ctx.state.school?.slug,
          method: ctx.method,
          path: cleanPath(path).slice(0, 200),
          status: ctx.status,
          milliseconds: Math.round((performance.now() - start) * 10) / 10,
          address: ctx.state.address,
          ...(wellFormedId.test(theirId) ? { client_request_id: theirId } : {}),
        },
        'request',
      )
    }
  }
}
