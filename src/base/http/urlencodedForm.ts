import type { Context } from 'koa'
import { koaBody } from 'koa-body'
import { Problem } from '../problem.ts'

/** Reads the body of a form as text: a parsed object would lose repeated parameters, of which some must be rejected. */
export type ReadUrlencodedForm = (ctx: Context) => Promise<string>

/**
 * Returns a function that reads application/x-www-form-urlencoded bodies of at most `maxBytes`.
 * @throws Problem payload_too_large; invalid_request if the connection breaks off
 */
export function urlencodedFormReader(maxBytes: number): ReadUrlencodedForm {
  const read = koaBody({
    text: true,
    textTypes: ['application/x-www-form-urlencoded'],
    textLimit: maxBytes,
    urlencoded: false,
    json: false,
    multipart: false,
    onError(error) {
      const status = 'status' in error ? error.status : undefined
      if (status === 413) {
        throw new Problem('payload_too_large', { description: `The body is larger than ${maxBytes} bytes.`, cause: error })
      }
      throw new Problem('invalid_request', { description: 'The body ended before it was complete.', cause: error })
    },
  })
  return async (ctx) => {
    await read(ctx, async () => {})
    ctx.state.resumed?.()
    const { body } = ctx.request as { body?: unknown }
    return typeof body === 'string' ? body : ''
  }
}
