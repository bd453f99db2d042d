import type { IncomingMessage } from 'node:http'
import type { Step } from './inOrder.ts'

/** True for a request with a body (RFC 9112 section 6.3). */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] !== undefined && headers['content-length'] !== '0')

/**
 * Closes connections whose request body does not arrive within this time, even if no handler reads it. Routes of large bodies have a
 * separate limit.
 */
export function arriveWithin(seconds: number, takesLonger: (path: string) => boolean): Step {
  return ({ req: request, path }) => {
    if (!hasBody(request) || request.complete || takesLonger(path)) return
    const timer = setTimeout(() => request.complete || request.destroy(), seconds * 1000).unref()
    request.once('close', () => clearTimeout(timer)).once('end', () => clearTimeout(timer))
  }
}
