import type { Context } from 'koa'
import { koaBody } from 'koa-body'
import { Problem } from '../lib/problem.ts'

/** Reads the body of a form as text: koa-body's parsed object would lose repeated parameters, of which some must be rejected. */
export type ReadUrlencodedForm = (ctx: Context) => Promise<string>

/**
 * Returns a function that reads application/x-www-form-urlencoded bodies of at most `maxBytes`.
 * @throws Problem payload_too_large; invalid_request if the connection breaks off
 */
export function urlencodedFormReader(maxBytes: number): ReadUrlencodedForm {
  const parse = koaBody({
    urlencoded: true,
    json: false,
    text: false,
    multipart: false,
    formLimit: maxBytes,
    includeUnparsed: true,
    onError(error) {
      const status = 'status' in error ? error.status : undefined
      if (status === 413) {
        throw new Problem('payload_too_large', { description: `The body is larger than ${maxBytes} bytes.`, cause: error })
      }
      throw new Problem('invalid_request', { description: 'The body ended before it was complete.', cause: error })
    },
  })
  return async (ctx) => {
    await parse(ctx, async () => {})
    const { rawBody } = ctx.request as { rawBody?: unknown }
    return typeof rawBody === 'string' ? rawBody : ''
  }
}
