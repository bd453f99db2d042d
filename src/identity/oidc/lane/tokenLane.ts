import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { BegunRequests } from '../../../base/http/begunRequests.ts'
import { learnedHeaders } from '../../../base/http/learnedHeaders.ts'
import type { RecordRequest } from '../../../base/http/recordRequests.ts'
import { newRequestId } from '../../../base/http/requestId.ts'
import { callerTrace, endRequestSpan, startRequestSpan } from '../../../base/http/requestSpan.ts'
import { hostOf } from '../../../base/http/tenant.ts'
import type { Tracing } from '../../../base/log/tracing.ts'
import type { School } from '../../../base/school.ts'
import { endpoints, operationOfEndpoint } from '../endpoints.ts'
import { type BodyArguments, bodies } from './bodies.ts'
import { type LaneEndpoint, laneEndpoint, type PlainRequest, plainRequest } from './plainRequest.ts'

export interface LaneArguments extends BodyArguments {
  schoolOf(host: string): School | undefined
  addressOf(request: IncomingMessage): string
  record: RecordRequest
  tracing?: Tracing | undefined
  begunRequests: BegunRequests
}

interface LaneRequest extends PlainRequest {
  school: School
  headers: readonly string[]
}

/**
 * Answers UserInfo and introspection before the pipeline, from the check of the token: half of their CPU goes into layers that decide nothing
 * about a plain request.
 *
 * The lane answers a request only if all of this is true; every other request goes to `otherwise` as it came:
 * 1. The request is plain (plainRequest.ts): GET of UserInfo with one bearer token and no body, or a short form to introspection with a token
 *    of this service, `client_id` and `client_secret`; exactly this path, without a query, and without a header that changes its meaning.
 * 2. The caller is within the limits.
 * 3. The token is valid now, and plain (plainAnswer.ts): its grant, client and account are its own, and neither ended, disabled nor stopped by
 *    the person or the school; it was given at the current issuer; it has no claims, no proof of possession, and nothing else that this code
 *    does not know.
 * 4. At UserInfo the token is for this server and has the scope openid, and the person rejected no claim. At introspection the client
 *    authenticates with `client_secret_post`, and the token is its own or bound to a resource server of it.
 * 5. The engine accepts the metadata of the clients.
 * 6. The pipeline has answered a plain request at this endpoint of the school before: the lane sends the same headers.
 *
 * The facts are those of the same check that the engine uses, so what ends or changes a token takes effect with the next request here too.
 * `test/identity/oidc/tokenLane.test.ts` compares both ways.
 */
export function tokenLane(args: LaneArguments, otherwise: RequestListener): RequestListener {
  const { schoolOf, addressOf, record, tracing, begunRequests } = args
  const headers = learnedHeaders<LaneEndpoint>(200)
  const bodyFor = bodies(args)

  const answer = async (request: IncomingMessage, response: ServerResponse, wanted: LaneRequest): Promise<void> => {
    const { school, endpoint } = wanted
    const since = performance.now()
    const caller = callerTrace(request)
    const span = tracing && startRequestSpan(tracing, request, caller)
    const address = addressOf(request)
    const work = () => bodyFor(request, { ...wanted, address })
    // The pipeline meets the same error, and responds with it.
    const found = await (span && tracing ? tracing.within(span, work) : work()).catch(() => undefined)
    if (!found) {
      begunRequests.set(request, { since, span })
      otherwise(request, response)
      return
    }
    const requestId = newRequestId()
    const text = JSON.stringify(found.body)
    const length = String(Buffer.byteLength(text))
    response.writeHead(200, ['Request-Id', requestId, ...wanted.headers, 'Content-Length', length]).end(text)
    // The form is still in the buffer of the request: without this, the connection would wait for it.
    request.resume()
    const answered = {
      ...{ requestId, address, clientId: found.clientId, accountId: found.accountId, trace: span ?? caller },
      school: school.slug,
      path: endpoints[endpoint].path,
      operation: operationOfEndpoint(endpoint),
      status: 200,
      milliseconds: performance.now() - since,
    }
    record(request, answered)
    if (span) endRequestSpan(span, request, answered)
  }

  return (request, response) => {
    const endpoint = laneEndpoint(request)
    const school = endpoint && schoolOf(hostOf(request))
    if (!endpoint || !school) return otherwise(request, response)
    const known = headers.of(school, endpoint)
    if (!known) {
      headers.learn(response, school, endpoint)
      return otherwise(request, response)
    }
    // A form that came in the same packet as its headers is parsed after this event, and before this runs.
    queueMicrotask(() => {
      const plain = plainRequest(request, endpoint)
      if (plain) void answer(request, response, { ...plain, school, headers: known })
      else otherwise(request, response)
    })
  }
}
