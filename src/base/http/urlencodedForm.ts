import type { Context } from 'koa'
import { Problem } from '../problem.ts'
import { lazily } from '../process/lazily.ts'

/** Reads the body of a form as text: a parsed object would lose repeated parameters, of which some must be rejected. */
export type ReadUrlencodedForm = (ctx: Context) => Promise<string>

/**
 * Returns a function that reads application/x-www-form-urlencoded bodies of at most `maxBytes`.
 * @throws Problem payload_too_large; invalid_request if the connection breaks off
 */
export function urlencodedFormReader(maxBytes: number): ReadUrlencodedForm {
  // Imported on demand: with the tables of the character sets that it knows, it is a tenth of the program.
  const reader = lazily(async () => {
    const { koaBody } = await import('koa-body')
    return koaBody({
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
  })
  return async (ctx) => {
    const read = await reader()
    await read(ctx, async () => {})
    ctx.state.resumed?.()
    const { body } = ctx.request as { body?: unknown }
    return typeof body === 'string' ? body : ''
  }
}
