import type { Context } from 'koa'

/** Redirects the browser with GET (RFC 9110 section 15.4.4). */
export function seeOther(ctx: Context, path: string): void {
  ctx.status = 303
  ctx.set('Cache-Control', 'no-store')
  ctx.redirect(path)
}
