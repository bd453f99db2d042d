import { type IncomingMessage, METHODS } from 'node:http'
import { parseTraceparent, type TraceContext } from '../log/traceContext.ts'
import type { Span, Tracing } from '../log/tracing.ts'
import type { RequestState } from './requestState.ts'

const knownMethods: ReadonlySet<string> = new Set(METHODS)

export const callerTrace = ({ headers }: IncomingMessage): TraceContext | undefined =>
  headers.traceparent === undefined ? undefined : parseTraceparent(headers.traceparent)

/** Starts the span of a request, below the span of its caller if it names a valid one. */
export function startRequestSpan(tracing: Tracing, { method = '' }: IncomingMessage, caller: TraceContext | undefined): Span {
  const known = knownMethods.has(method) ? method : '_OTHER'
  return tracing.start({ name: known, kind: 'server', attributes: { 'http.request.method': known } }, caller)
}

interface SpanFacts extends Pick<RequestState, 'requestId' | 'clientId' | 'problem'> {
  school: string | undefined
  operation: string
  status: number
}

/** Client ids that are neither an e-mail address nor contain the query of a URL: a request may name any text. */
const plainClientId = /^[\w:/.-]{1,200}$/

/**
 * Completes the span of a request with the names of OpenTelemetry's conventions for HTTP. It has no path, because paths contain ids, and no
 * query, which may contain codes.
 */
export function endRequestSpan(
  span: Span,
  { method = '' }: IncomingMessage,
  { requestId, school, operation, status, clientId, problem }: SpanFacts,
): void {
  span.rename(`${knownMethods.has(method) ? method : 'HTTP'} ${operation}`)
  span.set({
    'http.response.status_code': status,
    'http.route': operation.startsWith('/') ? operation : undefined,
    'schoolgate.school': school,
    'schoolgate.operation': operation,
    'schoolgate.request_id': requestId,
    'schoolgate.client_id': clientId !== undefined && plainClientId.test(clientId) ? clientId : undefined,
    'schoolgate.error': problem?.code,
  })
  // Only errors of the service make a span of a server fail.
  if (status >= 500) span.fail(String(status))
  span.end()
}
