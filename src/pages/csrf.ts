import type { Context } from 'koa'
import { type Keyring, randomToken } from '../lib/keyring.ts'
import type { School } from '../policy/school.ts'

/** Ties a form to the browser that it was shown in. */
export interface Csrf {
  /** The token for a form about `subject`; gives the browser its cookie where it has none. */
  issue(ctx: Context, subject: string): string
  isValid(ctx: Context, subject: string, token: string | undefined): boolean
}

/**
 * The token is an HMAC over what the form is about and a random value that only this browser holds.
 * On https the cookie is `__Host-`: neither a sibling host nor plain http can plant one (RFC 6265bis section 4.1.3.2).
 */
export function createCsrf(keyring: Keyring): Csrf {
  return {
    issue(ctx, subject) {
      const browser = browserOf(ctx) ?? giveCookie(ctx)
      return keyring.sign('csrf', `${subject} ${browser}`)
    },
    isValid(ctx, subject, token) {
      const browser = browserOf(ctx)
      return browser !== undefined && token !== undefined && keyring.verify('csrf', `${subject} ${browser}`, token)
    },
  }
}

/** Name of the cookie that tells browsers apart. */
export function browserCookieName({ issuer }: School): string {
  return issuer.startsWith('https:') ? '__Host-sg_browser' : 'sg_browser'
}

function browserOf(ctx: Context): string | undefined {
  const value = ctx.cookies.get(browserCookieName(ctx.state.school), { signed: false })
  return value && /^[\w-]{43}$/.test(value) ? value : undefined
}

function giveCookie(ctx: Context): string {
  const { school } = ctx.state as { school: School }
  const value = randomToken(256)
  const secure = school.issuer.startsWith('https:') ? '; Secure' : ''
  // Written by hand: whether it is Secure follows from the issuer, not from what a proxy says of the connection.
  ctx.append('Set-Cookie', `${browserCookieName(school)}=${value}; Path=/; HttpOnly; SameSite=Lax${secure}`)
  return value
}
