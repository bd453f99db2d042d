import type { Middleware } from 'koa'
import { Problem } from '../lib/problem.ts'

/**
 * Refuses bodies with a content coding (RFC 9110 section 8.4). Nothing here decodes them, and a gateway that does would see another
 * request than this service.
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
    return next()
  }
}
