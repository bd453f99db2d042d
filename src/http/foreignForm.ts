import type { Context } from 'koa'

/**
 * Whether another site sent this form. Our own pages forbid referrers, so browsers send `Origin: null` with their forms
 * (Fetch, "append a request Origin header"): then Sec-Fetch-Site decides, and in browsers without it the form's token alone.
 */
export function isForeignForm(ctx: Context, issuer: string): boolean {
  const site = ctx.get('Sec-Fetch-Site')
  const origin = ctx.get('Origin')
  return (
    (site !== '' && site !== 'same-origin' && site !== 'none') || (origin !== '' && origin !== 'null' && origin !== new URL(issuer).origin)
  )
}
