import type { Context } from 'koa'
import { type Keyring, randomToken } from '../lib/keyring.ts'
import { readOwnCookie, setOwnCookie } from './ownCookie.ts'

/** Ties a form to the browser that it was shown in. */
export interface Csrf {
  /** The token for a form about `subject`; gives the browser its cookie where it has none. */
  issue(ctx: Context, subject: string): string
  isValid(ctx: Context, subject: string, token: string | undefined): boolean
}

/** The token is an HMAC over what the form is about and a random value that only this browser holds. */
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

const cookie = 'sg_browser'

function browserOf(ctx: Context): string | undefined {
  const value = readOwnCookie(ctx, cookie)
  return value && /^[\w-]{43}$/.test(value) ? value : undefined
}

function giveCookie(ctx: Context): string {
  const value = randomToken(256)
  setOwnCookie(ctx, cookie, { value })
  return value
}
