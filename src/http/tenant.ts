import type { IncomingMessage } from 'node:http'
import type { Middleware } from 'koa'
import proxyAddr from 'proxy-addr'
import { Problem } from '../lib/problem.ts'
import type { School } from '../policy/school.ts'
import type { RequestState } from './requestState.ts'
import { strictTransport } from './securityHeaders.ts'

/** Sets the caller's address: the nearest one in X-Forwarded-For that is not a trusted proxy (addresses, CIDRs, `loopback`). */
export function callerAddress(trustedProxies: readonly string[]): Middleware<RequestState> {
  const trust = proxyAddr.compile([...trustedProxies])
  return (ctx, next) => {
    ctx.state.address = proxyAddr(ctx.req, trust)
    return next()
  }
}

/** Rejects URLs above 8 KiB before any other check. */
export function addressLimit(): Middleware {
  return (ctx, next) => {
    if ((ctx.req.url?.length ?? 0) > 8192) throw new Problem('uri_too_long')
    return next()
  }
}

/**
 * Finds the school by host name, then replaces the forwarded headers with the school's address: no `Host` and no `X-Forwarded-*` of a
 * caller reaches a document, a token or a link. With one school, every host leads to it.
 */
export function resolveSchool(find: (host: string) => School | undefined): Middleware<RequestState> {
  return (ctx, next) => {
    if ((ctx.req.headersDistinct.host?.length ?? 0) > 1) {
      throw new Problem('invalid_request', { description: 'The request has more than one Host header. Send one (RFC 9112 section 3.2).' })
    }
    const school = find(ctx.get('host').toLowerCase())
    if (!school) throw new Problem('misdirected_request')
    ctx.state.school = school
    speakFor(ctx.req, new URL(school.issuer))
    if (school.issuer.startsWith('https:')) ctx.set('Strict-Transport-Security', strictTransport)
    return next()
  }
}

function speakFor(request: IncomingMessage, issuer: URL): void {
  const { headers } = request
  headers.host = issuer.host
  headers['x-forwarded-proto'] = issuer.protocol.slice(0, -1)
  delete headers['x-forwarded-host']
  delete headers['x-forwarded-for']
  delete headers.forwarded
}
