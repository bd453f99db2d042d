import type { IncomingMessage } from 'node:http'
import type { Context } from 'koa'
import { Problem } from '../problem.ts'

/**
 * Reads the whole request body as bytes. koa-body is used for forms only, because it decodes every body as text and replaces invalid
 * UTF-8: JSON in another encoding could not be rejected, and the bytes of the client metadata could not be checked.
 * @throws Problem payload_too_large above `limitBytes`; invalid_request if the connection breaks off
 */
export async function readBody(ctx: Context, limitBytes: number): Promise<Buffer> {
  const tooLarge = (): Problem => new Problem('payload_too_large', { description: `The body is larger than ${limitBytes} bytes.` })
  if ((ctx.request.length ?? 0) > limitBytes) throw tooLarge()
  const chunks: Buffer[] = []
  let received = 0
  try {
    // Not destroyed at the end: the response is sent through the same socket.
    for await (const chunk of ctx.req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      received += chunk.length
      if (received > limitBytes) throw tooLarge()
      chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof Problem) throw error
    throw new Problem('invalid_request', { description: 'The body ended before it was complete.', cause: error })
  }
  ctx.state.resumed?.()
  return Buffer.concat(chunks, received)
}

/** Puts a body back, so that the engine can read the request as a stream again. */
export function putBodyBack(request: IncomingMessage, body: Buffer): void {
  request.headers['content-length'] = String(body.length)
  delete request.headers['transfer-encoding']
  Object.defineProperties(request, {
    readable: { value: true, configurable: true },
    iterator: {
      configurable: true,
      value: async function* once() {
        yield body
      },
    },
  })
}
