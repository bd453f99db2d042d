import type { Middleware } from 'koa'
import { newId, toPublicId } from '../lib/ids.ts'
import type { RequestState } from './requestState.ts'

/** Gives each request an id of ours and answers it in `Request-Id`. A client's own `X-Request-Id` is logged, not trusted. */
export function requestId(): Middleware<RequestState> {
  return (ctx, next) => {
    ctx.state.requestId = toPublicId('req', newId())
    ctx.set('Request-Id', ctx.state.requestId)
    return next()
  }
}
