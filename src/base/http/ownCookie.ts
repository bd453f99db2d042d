import type { Context } from 'koa'
import type { School } from '../school.ts'

/**
 * Returns the name of a cookie of these pages. On https it begins with `__Host-`: neither a sibling host nor plain http can set one (RFC
 * 6265bis section 4.1.3.2).
 */
function ownCookieName(name: string, { issuer }: School): string {
  return issuer.startsWith('https:') ? `__Host-${name}` : name
}

export function readOwnCookie(ctx: Context, name: string): string | undefined {
  return ctx.cookies.get(ownCookieName(name, ctx.state.school), { signed: false })
}

/** Sets a cookie for this host, until the browser is closed or for `lifeSeconds`. */
export function setOwnCookie(ctx: Context, name: string, { value, lifeSeconds }: { value: string; lifeSeconds?: number }): void {
  const { school } = ctx.state
  const life = lifeSeconds === undefined ? '' : `; Max-Age=${lifeSeconds}`
  const secure = school.issuer.startsWith('https:') ? '; Secure' : ''
  // Not written with ctx.cookies: Secure follows from the issuer, not from the protocol that a proxy reports.
  ctx.append('Set-Cookie', `${ownCookieName(name, school)}=${value}; Path=/${life}; HttpOnly; SameSite=Lax${secure}`)
}

/** The cookie to which forms are bound: it identifies a browser until it is closed. */
export const browserCookie = 'sg_browser'

export function browserOf(ctx: Context): string | undefined {
  const value = readOwnCookie(ctx, browserCookie)
  return value && /^[\w-]{43}$/.test(value) ? value : undefined
}
