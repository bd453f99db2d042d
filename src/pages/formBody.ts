import type { Context, Middleware } from 'koa'
import { koaBody } from 'koa-body'
import { Problem } from '../lib/problem.ts'

/** A form of at most 64 kB, under `ctx.state.form`. */
export interface FormState {
  form: URLSearchParams
}

/**
 * Reads the body of a posted form.
 * @throws Problem unsupported_media_type, payload_too_large, invalid_request
 */
export function formBody(): Middleware {
  const parse = koaBody({
    urlencoded: true,
    json: false,
    text: false,
    multipart: false,
    formLimit: '64kb',
    includeUnparsed: true,
    onError(error) {
      if ((error as { status?: unknown }).status === 413) throw new Problem('payload_too_large', { cause: error })
      throw new Problem('invalid_request', { description: 'The form cannot be read.', cause: error })
    },
  })
  return async (ctx: Context, next) => {
    if (ctx.is('urlencoded') === false) throw new Problem('unsupported_media_type')
    await parse(ctx, async () => {})
    // The raw text: names are plain names here, and nothing a name can say makes objects, lists or prototypes.
    const { rawBody } = ctx.request as { rawBody?: unknown }
    ctx.state.form = new URLSearchParams(typeof rawBody === 'string' ? rawBody : '')
    return next()
  }
}
