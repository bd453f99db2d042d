import type { Context, Middleware } from 'koa'
import { urlencodedFormReader } from '../http/urlencodedForm.ts'
import { Problem } from '../lib/problem.ts'

/** A submitted form of at most 64 kB, in `ctx.state.form`. */
export interface FormState {
  form: URLSearchParams
}

/**
 * Reads the body of a submitted form.
 * @throws Problem unsupported_media_type, payload_too_large, invalid_request
 */
export function formBody(): Middleware {
  const read = urlencodedFormReader(65_536)
  return async (ctx: Context, next) => {
    if (ctx.is('urlencoded') === false) throw new Problem('unsupported_media_type')
    ctx.state.form = new URLSearchParams(await read(ctx))
    return next()
  }
}
