import type { Middleware } from 'koa'
import { Problem } from '../lib/problem.ts'

/**
 * Rejects bodies with a content coding (RFC 9110 section 8.4). No handler decodes them, and a gateway that does would see another request
 * than this service. `identity` is removed in every spelling: body parsers know one spelling only.
 */
export function identityBodies(): Middleware {
  return (ctx, next) => {
    const { 'content-encoding': encoding, 'content-length': length = '0', 'transfer-encoding': transfer } = ctx.req.headers
    const codings = (encoding ?? '').split(',').map((name) => name.trim().toLowerCase())
    const hasBody = transfer !== undefined || Number(length) > 0
    if (hasBody && codings.some((name) => name !== '' && name !== 'identity')) {
      throw new Problem('unsupported_media_type', {
        description: 'Content-Encoding must be absent or identity. Send the body without compression.',
        headers: { 'Accept-Encoding': 'identity' },
      })
    }
    delete ctx.req.headers['content-encoding']
    return next()
  }
}
