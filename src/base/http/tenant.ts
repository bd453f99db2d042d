import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import proxyAddr from 'proxy-addr'
import { Problem } from '../problem.ts'
import type { School } from '../school.ts'
import type { Step } from './inOrder.ts'
import { strictTransport } from './securityHeaders.ts'

/**
 * Returns the caller's address: the nearest one in X-Forwarded-For that is not a trusted proxy (addresses, CIDRs, `loopback`). If that is not
 * an address, it returns the address of the connection: logs, the audit trail and rate limits get no other texts.
 */
export function addressReader(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  const trust = proxyAddr.compile([...trustedProxies])
  return (request) => {
    const { remoteAddress = '' } = request.socket
    // Without the header the result is the same, and nothing is parsed.
    if (request.headers['x-forwarded-for'] === undefined) return remoteAddress
    return plainAddress(proxyAddr(request, trust)) ?? remoteAddress
  }
}

/** The length of the longest IPv6 address, an IPv4 address in it, and a port. */
const longestAddress = 55

/** Returns an address without the port and the brackets that some gateways write; undefined for any other text. */
function plainAddress(text: string): string | undefined {
  if (text.length > longestAddress) return undefined
  const [, address = text] = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d{1,5})?$/.exec(text)?.filter((part) => part !== undefined) ?? []
  return isIP(address) > 0 ? address : undefined
}

export const setAddress =
  (addressOf: (request: IncomingMessage) => string): Step =>
  (ctx) => {
    ctx.state.address = addressOf(ctx.req)
  }

/** True if a request has more than one Host header. Node's `headers` contain the first one only. */
export function hasSeveralHosts({ rawHeaders }: IncomingMessage): boolean {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1
  }
  return count > 1
}

/**
 * Finds the school by host name, then replaces the forwarded headers with the school's address: no `Host` and no `X-Forwarded-*` of a
 * caller reaches a document, a token or a link. With one school, every host leads to it.
 */
export function resolveSchool(find: (host: string) => School | undefined): Step {
  const origins = new WeakMap<School, { host: string; protocol: string }>()
  const originOf = (school: School): { host: string; protocol: string } => {
    let origin = origins.get(school)
    if (!origin) {
      const { host, protocol } = new URL(school.issuer)
      origin = { host, protocol: protocol.slice(0, -1) }
      origins.set(school, origin)
    }
    return origin
  }
  return (ctx) => {
    if (hasSeveralHosts(ctx.req)) {
      throw new Problem('invalid_request', { description: 'The request has more than one Host header. Send one (RFC 9112 section 3.2).' })
    }
    const school = find(hostOf(ctx.req))
    if (!school) throw new Problem('misdirected_request')
    ctx.state.school = school
    const origin = originOf(school)
    speakFor(ctx.req, origin)
    if (origin.protocol === 'https') ctx.res.setHeader('Strict-Transport-Security', strictTransport)
  }
}

/** Returns the host that a request names, in lower case. */
export const hostOf = ({ headers }: IncomingMessage): string => (headers.host ?? '').toLowerCase()

function speakFor({ headers }: IncomingMessage, { host, protocol }: { host: string; protocol: string }): void {
  headers.host = host
  headers['x-forwarded-proto'] = protocol
  for (const name of forwardedHeaders) if (headers[name] !== undefined) delete headers[name]
}

const forwardedHeaders = ['x-forwarded-host', 'x-forwarded-for', 'forwarded'] as const
