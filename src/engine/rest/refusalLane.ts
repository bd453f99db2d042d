import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
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

export interface Refusals {
  /** Returns the error of a path that no operation has, with any method; undefined for every other path. */
  refusalAt(path: string): Problem | undefined
  /** Returns the id of the operation that a GET of the path reads; undefined if it has a separate limit or is deprecated. */
  plainReadAt(path: string): string | undefined
}

export interface RefusalArguments {
  refusals: Refusals
  /** Returns the error of a request whose Authorization header can contain no token of this service. */
  foreignToken(request: IncomingMessage): Problem | undefined
  /** Counts the request of a visitor, and returns the headers that say so. Rejects if a limit is exceeded. */
  countVisitor(of: { school: School; address: string }): Promise<Readonly<Record<string, string>>>
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

/** A refused request. `learned` names the responses that have the same headers. */
interface Refusal {
  problem: Problem
  operation: string
  learned: string
  isCounted: boolean
}

/**
 * Answers reads of addresses below the API that do not exist, and reads with a token that is not of this service, before the pipeline: scanners
 * send many of them. It answers plain requests only, with the headers that the pipeline has sent with such a response of the school; every
 * other request goes to `otherwise` as it came.
 */
export function refusalLane(args: RefusalArguments, otherwise: RequestListener): RequestListener {
  const { errorsUrl, schoolOf, addressOf, countVisitor, record, tracing } = args
  const headers = { 401: learnedHeaders<string>(401), 404: learnedHeaders<string>(404) }

  const answer = async (request: IncomingMessage, response: ServerResponse, found: Found): Promise<void> => {
    const { problem, operation, isCounted, path, school, known } = found
    const start = performance.now()
    const address = addressOf(request)
    const counted = isCounted ? await countVisitor({ school, address }).catch(() => undefined) : {}
    // The pipeline says that the limit is exceeded.
    if (!counted) return otherwise(request, response)
    const caller = callerTrace(request)
    const span = tracing && startRequestSpan(tracing, request, caller)
    const requestId = newRequestId()
    const more = { page: errorsUrl(school), documentation: documentationFor(school, request.headers.authorization) }
    const text = JSON.stringify(bodyOf(problem, requestId, more))
    const sent = ['Request-Id', requestId, ...known, ...Object.entries(counted).flat(), 'Content-Length', String(Buffer.byteLength(text))]
    response.writeHead(problem.status, sent)
    response.end(request.method === 'HEAD' ? undefined : text)
    const answered = {
      ...{ requestId, school: school.slug, path, problem, operation, status: problem.status, address },
      milliseconds: performance.now() - start,
      trace: span ?? caller,
    }
    record(request, answered)
    if (span) endRequestSpan(span, request, answered)
  }

  return (request, response) => {
    const path = (request.url ?? '').split('?', 1)[0] ?? ''
    const refusal = plainPath.test(path) ? refusalOf(request, path, args) : undefined
    const school = refusal && schoolOf(hostOf(request))
    if (!refusal || !school || !isPlain(request)) return otherwise(request, response)
    const table = headers[refusal.isCounted ? 401 : 404]
    const known = table.of(school, refusal.learned)
    if (known) return void answer(request, response, { ...refusal, path, school, known })
    table.learn(response, school, refusal.learned)
    otherwise(request, response)
  }
}

interface Found extends Refusal {
  path: string
  school: School
  known: readonly string[]
}

function refusalOf(request: IncomingMessage, path: string, { refusals, foreignToken }: RefusalArguments): Refusal | undefined {
  const { method, url = '', headers } = request
  if (method !== 'GET' && method !== 'HEAD') return undefined
  const unknown = refusals.refusalAt(path)
  if (unknown) return { problem: unknown, operation: 'other', learned: String(headers.authorization === undefined), isCounted: false }
  // The format decides first. It is that of the header, or of the parameter `csv`.
  if (headers.authorization === undefined || url.includes('csv') || url.includes('%') || !plainAccept.has(headers.accept)) return undefined
  const problem = method === 'GET' ? foreignToken(request) : undefined
  const operation = refusals.plainReadAt(path)
  return problem && operation !== undefined ? { problem, operation, learned: problem.description, isCounted: true } : undefined
}

const plainAccept: ReadonlySet<string | undefined> = new Set([undefined, '*/*', 'application/json'])

const isPlain = (request: IncomingMessage): boolean =>
  !hasBody(request) &&
  !isOwnRequest(request) &&
  !hasSeveralHosts(request) &&
  requestExcess(request) === undefined &&
  changing.every((name) => request.headers[name] === undefined)
