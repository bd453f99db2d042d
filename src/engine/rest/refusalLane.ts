import type { IncomingMessage, RequestListener } from 'node:http'
import { isOwnRequest } from '../../base/http/inProcess.ts'
import { learnedHeaders } from '../../base/http/learnedHeaders.ts'
import { probeHeader } from '../../base/http/probe.ts'
import { bodyOf, documentationFor } from '../../base/http/problems.ts'
import type { RecordRequest } from '../../base/http/recordRequests.ts'
import { newRequestId } from '../../base/http/requestId.ts'
import { requestExcess } from '../../base/http/requestLimits.ts'
import { callerTrace, endRequestSpan, startRequestSpan } from '../../base/http/requestSpan.ts'
import { hasBody } from '../../base/http/requestTimeout.ts'
import { hasSeveralHosts, hostOf } from '../../base/http/tenant.ts'
import type { Tracing } from '../../base/log/tracing.ts'
import type { Problem } from '../../base/problem.ts'
import type { School } from '../../base/school.ts'
import { apiPath } from '../declare/operations.ts'

export interface RefusalArguments {
  /** Returns the error of a path that no operation has, with any method; undefined for every other path. */
  refusalAt(path: string): Problem | undefined
  errorsUrl(school: School): string
  schoolOf(host: string): School | undefined
  addressOf(request: IncomingMessage): string
  record: RecordRequest
  tracing?: Tracing | undefined
}

/** A path that means itself: without encoding, empty segments or a slash at the end. `openapi.json` leads to the description. */
const plainPath = new RegExp(`^${apiPath}/(?!openapi\\.json$)[\\w.-]+(?:/[\\w.-]+)*$`)

/** Headers that change what the response says. */
const changing = ['access-control-request-method', 'content-encoding', 'expect', 'origin', probeHeader] as const

/**
 * Answers reads of addresses below the API that do not exist, before the pipeline: scanners send many of them. It answers plain requests only,
 * with the headers that the pipeline has sent with such a response of the school; every other request goes to `otherwise` as it came.
 */
export function refusalLane(args: RefusalArguments, otherwise: RequestListener): RequestListener {
  const { refusalAt, errorsUrl, schoolOf, addressOf, record, tracing } = args
  const headers = learnedHeaders<boolean>(404)
  return (request, response) => {
    const start = performance.now()
    const { method, url = '' } = request
    const path = url.split('?', 1)[0] ?? ''
    const problem = (method === 'GET' || method === 'HEAD') && plainPath.test(path) ? refusalAt(path) : undefined
    const school = problem && schoolOf(hostOf(request))
    if (!problem || !school || !isPlain(request)) return otherwise(request, response)
    const { authorization } = request.headers
    const known = headers.of(school, authorization === undefined)
    if (!known) {
      headers.learn(response, school, authorization === undefined)
      return otherwise(request, response)
    }
    const caller = callerTrace(request)
    const span = tracing && startRequestSpan(tracing, request, caller)
    const requestId = newRequestId()
    const more = { page: errorsUrl(school), documentation: documentationFor(school, authorization) }
    const text = JSON.stringify(bodyOf(problem, requestId, more))
    response.writeHead(problem.status, ['Request-Id', requestId, ...known, 'Content-Length', String(Buffer.byteLength(text))])
    response.end(method === 'HEAD' ? undefined : text)
    const answered = {
      ...{ requestId, school: school.slug, path, problem, operation: 'other', status: problem.status, address: addressOf(request) },
      milliseconds: performance.now() - start,
      trace: span ?? caller,
    }
    record(request, answered)
    if (span) endRequestSpan(span, request, answered)
  }
}

const isPlain = (request: IncomingMessage): boolean =>
  !hasBody(request) &&
  !isOwnRequest(request) &&
  !hasSeveralHosts(request) &&
  requestExcess(request) === undefined &&
  changing.every((name) => request.headers[name] === undefined)
