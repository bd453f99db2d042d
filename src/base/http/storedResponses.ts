import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Tracing } from '../log/tracing.ts'
import type { School } from '../school.ts'
import { isKnown } from './document.ts'
import { isOwnRequest } from './inProcess.ts'
import type { RecordRequest } from './recordRequests.ts'
import { newRequestId } from './requestId.ts'
import { requestExcess } from './requestLimits.ts'
import { callerTrace, endRequestSpan, startRequestSpan } from './requestSpan.ts'
import { hasBody } from './requestTimeout.ts'
import type { ResponseTable, StoredResponse } from './responseTable.ts'
import { hasSeveralHosts, hostOf } from './tenant.ts'

export interface StoredResponsesArguments {
  table: ResponseTable
  schoolOf(host: string): School | undefined
  addressOf(request: IncomingMessage): string
  record: RecordRequest
  tracing?: Tracing | undefined
}

/**
 * Answers requests from the response table, before any other step: with an id, a log line and metrics, and without the rest of the pipeline.
 * Every other request goes to `otherwise`, which also rejects the malformed ones. The service's requests to itself are never answered from
 * the table, because they check what the service would build.
 */
export function storedResponses(
  { table, schoolOf, addressOf, record, tracing }: StoredResponsesArguments,
  otherwise: RequestListener,
): RequestListener {
  return (request, response) => {
    const start = performance.now()
    const { method, url = '' } = request
    const isForTable = (method === 'GET' || method === 'HEAD') && !hasBody(request) && !isOwnRequest(request) && !isForPart(url)
    if (!isForTable) return otherwise(request, response)
    const school = schoolOf(hostOf(request))
    const path = pathOf(url)
    const stored = school && table.get(school.id, path)
    if (!stored || hasSeveralHosts(request) || requestExcess(request)) return otherwise(request, response)
    const caller = callerTrace(request)
    const span = tracing && startRequestSpan(tracing, request, caller)
    const requestId = newRequestId()
    const status = isKnown(request.headers['if-none-match'] ?? '', stored.etag) ? 304 : 200
    send(response, stored, { status, requestId, isHead: method === 'HEAD' })
    const answered = {
      requestId,
      school: school.slug,
      path,
      status,
      milliseconds: performance.now() - start,
      address: addressOf(request),
      operation: stored.operation,
      trace: span ?? caller,
    }
    record(request, answered)
    if (span) endRequestSpan(span, request, answered)
  }
}

/** True for one section of a document: the only query that changes one. */
const isForPart = (target: string): boolean => /[?&]section=/.test(target)

function pathOf(target: string): string {
  const end = target.indexOf('?')
  return end === -1 ? target : target.slice(0, end)
}

function send(
  response: ServerResponse,
  { headers, contentHeaders, body, ascii }: StoredResponse,
  { status, requestId, isHead }: { status: 200 | 304; requestId: string; isHead: boolean },
): void {
  response.writeHead(status, ['Request-Id', requestId, ...headers, ...(status === 200 ? contentHeaders : [])])
  if (status === 304 || isHead) response.end()
  else if (ascii !== undefined) response.end(ascii, 'latin1')
  else response.end(body)
}
