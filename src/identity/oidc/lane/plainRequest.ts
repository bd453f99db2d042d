import { isAscii } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { isOwnRequest } from '../../../base/http/inProcess.ts'
import { probeHeader } from '../../../base/http/probe.ts'
import { requestExcess } from '../../../base/http/requestLimits.ts'
import { hasBody } from '../../../base/http/requestTimeout.ts'
import { hasSeveralHosts } from '../../../base/http/tenant.ts'
import { bearerToken } from '../bearer.ts'
import { endpoints } from '../endpoints.ts'

/** A request that asks about one token in the only form that the lane reads. */
export interface PlainRequest {
  endpoint: LaneEndpoint
  token: string
  /** The client that asks: at introspection only. */
  caller?: { clientId: string; secret: string }
}

export type LaneEndpoint = 'userinfo' | 'introspection'

/** Headers that change what a request means, or what its response says. */
const changing = [
  'access-control-request-method',
  'content-encoding',
  'dpop',
  'expect',
  'oauth-client-attestation',
  'oauth-client-attestation-pop',
  'origin',
  probeHeader,
] as const

/** Returns the endpoint of a request that may be plain, without reading its body; undefined for every other request. */
export function laneEndpoint(request: IncomingMessage): LaneEndpoint | undefined {
  const { method, url, headers } = request
  const isUserinfo = method === 'GET' && url === endpoints.userinfo.path && !hasBody(request)
  const isIntrospection = !isUserinfo && method === 'POST' && url === endpoints.introspection.path && hasShortForm(request)
  if (!isUserinfo && !isIntrospection) return undefined
  if ((headers.authorization !== undefined) !== isUserinfo || changing.some((name) => headers[name] !== undefined)) return undefined
  if (isOwnRequest(request) || hasSeveralHosts(request) || requestExcess(request)) return undefined
  return isUserinfo ? 'userinfo' : 'introspection'
}

/** Bytes of the longest form: a token, the credentials of a client and a hint take about 300. */
const longestForm = 2048

const hasShortForm = ({ headers }: IncomingMessage): boolean =>
  headers['content-type'] === 'application/x-www-form-urlencoded' &&
  headers['transfer-encoding'] === undefined &&
  Number(headers['content-length']) <= longestForm

/** Returns what the request asks; undefined unless it does so in the plain form. Leaves the request as it was. */
export function plainRequest(request: IncomingMessage, endpoint: LaneEndpoint): PlainRequest | undefined {
  if (endpoint === 'userinfo') {
    const token = bearerToken(request)
    return token === undefined ? undefined : { endpoint, token }
  }
  const form = arrivedForm(request)
  return form === undefined ? undefined : introspectionRequest(form)
}

/**
 * Returns the form of the request if all of it has arrived, and puts its bytes back. A form that follows its headers in the same packet is
 * there when the microtasks of the request's event run.
 */
function arrivedForm(request: IncomingMessage): string | undefined {
  const length = Number(request.headers['content-length'])
  if (request.readableLength !== length) return undefined
  const bytes: unknown = request.read(length)
  if (!Buffer.isBuffer(bytes)) return undefined
  request.unshift(bytes)
  return isAscii(bytes) ? bytes.toString('latin1') : undefined
}

/** A form whose values every parser reads in the same way: `~`, which separates the parts of a token, is the only character that may be encoded. */
const plainForm = /^(?:[\w.~&=-]|%7[Ee])+$/
/** A token of this service. A dot would make it look like a JWT, which the endpoint rejects. */
const plainToken = /^[\w-]{16,256}~[\w-]{1,64}~[\w-]{1,64}$/
const plainNames: ReadonlySet<string> = new Set(['token', 'token_type_hint', 'client_id', 'client_secret'])

function introspectionRequest(form: string): PlainRequest | undefined {
  if (!plainForm.test(form)) return undefined
  const values = new Map<string, string>()
  for (const part of form.replaceAll(/%7E/gi, '~').split('&')) {
    const [name = '', value = '', ...more] = part.split('=')
    if (value === '' || more.length > 0 || !plainNames.has(name) || values.has(name)) return undefined
    values.set(name, value)
  }
  const [token, clientId, secret] = [values.get('token'), values.get('client_id'), values.get('client_secret')]
  if (token === undefined || clientId === undefined || secret === undefined || !plainToken.test(token)) return undefined
  if ((values.get('token_type_hint') ?? 'access_token') !== 'access_token') return undefined
  return { endpoint: 'introspection', token, caller: { clientId, secret } }
}
