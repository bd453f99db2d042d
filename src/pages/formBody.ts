import type { Context, Middleware } from 'koa'
import { urlencodedFormReader } from '../base/http/urlencodedForm.ts'
import { Problem } from '../base/problem.ts'

/**
 * Reads the body of a submitted form of at most 64 kB. `submittedForm` returns it.
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

/**
 * Returns the form that `formBody` has read.
 * @throws Error if the route has no `formBody`
 */
export function submittedForm(ctx: Context): URLSearchParams {
  const { form } = ctx.state
  if (form instanceof URLSearchParams) return form
  throw new Error(`no form was read for ${ctx.path}`)
}
