import type { Context } from 'koa'
import type { School } from '../policy/school.ts'

/** The name of a cookie of ours. On https it is `__Host-`: neither a sibling host nor plain http can plant one (RFC 6265bis section 4.1.3.2). */
export function ownCookieName(name: string, { issuer }: School): string {
  return issuer.startsWith('https:') ? `__Host-${name}` : name
}

/** What the browser sent under this name. */
export function readOwnCookie(ctx: Context, name: string): string | undefined {
  return ctx.cookies.get(ownCookieName(name, ctx.state.school), { signed: false })
}

/** Gives the browser a cookie for this host alone: until it is closed, or for `lifeSeconds`. */
export function setOwnCookie(ctx: Context, name: string, { value, lifeSeconds }: { value: string; lifeSeconds?: number }): void {
  const { school } = ctx.state as { school: School }
  const life = lifeSeconds === undefined ? '' : `; Max-Age=${lifeSeconds}`
  const secure = school.issuer.startsWith('https:') ? '; Secure' : ''
  // Written by hand: whether it is Secure follows from the issuer, not from what a proxy says of the connection.
  ctx.append('Set-Cookie', `${ownCookieName(name, school)}=${value}; Path=/${life}; HttpOnly; SameSite=Lax${secure}`)
}
