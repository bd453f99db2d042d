import type { IncomingMessage } from 'node:http'
import type { Span } from '../log/tracing.ts'

/** When the work for a request began, and its span. */
export interface BegunRequest {
  /** Milliseconds of `performance.now()`. */
  since: number
  span: Span | undefined
}

/** Requests for which work began before the pipeline, which continues their measurement and their span. */
export type BegunRequests = WeakMap<IncomingMessage, BegunRequest>
