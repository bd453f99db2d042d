import type { Middleware } from 'koa'
import { newId, toPublicId } from '../lib/ids.ts'
import type { RequestState } from './requestState.ts'

/** Sets an id for each request and returns it in `Request-Id`. A client's `X-Request-Id` is logged but not used. */
export function requestId(): Middleware<RequestState> {
  return (ctx, next) => {
    ctx.state.requestId = toPublicId('req', newId())
    ctx.set('Request-Id', ctx.state.requestId)
    return next()
  }
}
