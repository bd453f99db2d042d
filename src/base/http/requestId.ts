import { newUnorderedId, toPublicId } from '../ids.ts'
import type { Step } from './inOrder.ts'

export const newRequestId = (): string => toPublicId('req', newUnorderedId())

/** Sets an id for each request and returns it in `Request-Id`. A client's `X-Request-Id` is logged but not used. */
export const setRequestId: Step = (ctx) => {
  ctx.state.requestId = newRequestId()
  ctx.res.setHeader('Request-Id', ctx.state.requestId)
}
