import type { Context } from 'koa'

/**
 * Returns true if another site sent this form. The pages forbid referrers, so browsers send `Origin: null` with their forms (Fetch, "append
 * a request Origin header"). Then Sec-Fetch-Site decides, and in browsers without it only the form's token.
 */
export function isForeignForm(ctx: Context, issuer: string): boolean {
  const site = ctx.get('Sec-Fetch-Site')
  const origin = ctx.get('Origin')
  return (
    (site !== '' && site !== 'same-origin' && site !== 'none') || (origin !== '' && origin !== 'null' && origin !== new URL(issuer).origin)
  )
}
