import type { RequestState } from './requestState.ts'

export const requestIds = (state: Pick<Partial<RequestState>, 'requestId' | 'trace'> | undefined) => ({
  request_id: state?.requestId,
  trace_id: state?.trace?.traceId,
  span_id: state?.trace?.spanId,
})
