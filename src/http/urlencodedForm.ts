import type { Context } from 'koa'
import { readBody } from './readBody.ts'

/** Reads the body of a form as text: a parsed object would lose repeated parameters, of which some must be rejected. */
export type ReadUrlencodedForm = (ctx: Context) => Promise<string>

/**
 * Returns a function that reads application/x-www-form-urlencoded bodies of at most `maxBytes`. Other bodies read as an empty form.
 * @throws Problem payload_too_large; invalid_request if the connection breaks off
 */
export function urlencodedFormReader(maxBytes: number): ReadUrlencodedForm {
  return async (ctx) => (ctx.is('urlencoded') ? (await readBody(ctx, maxBytes)).toString() : '')
}
