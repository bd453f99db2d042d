import { Problem } from '../problem.ts'
import type { Step } from './inOrder.ts'
import { hasBody } from './requestTimeout.ts'

/**
 * Rejects bodies with a content coding (RFC 9110 section 8.4). No handler decodes them, and a gateway that does would see another request
 * than this service. `identity` is removed in every spelling: body parsers know one spelling only.
 */
export const refuseEncodedBodies: Step = ({ req }) => {
  const encoding = req.headers['content-encoding']
  if (encoding === undefined) return
  const codings = encoding.split(',').map((name) => name.trim().toLowerCase())
  if (hasBody(req) && codings.some((name) => name !== '' && name !== 'identity')) {
    throw new Problem('unsupported_media_type', {
      description: 'Content-Encoding must be absent or identity. Send the body without compression.',
      headers: { 'Accept-Encoding': 'identity' },
    })
  }
  delete req.headers['content-encoding']
}
