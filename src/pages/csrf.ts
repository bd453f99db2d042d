import type { Context } from 'koa'
import { type Keyring, randomToken } from '../lib/keyring.ts'
import { readOwnCookie, setOwnCookie } from './ownCookie.ts'

/** Binds a form to the browser that it was shown in. */
export interface Csrf {
  /** Returns the token of a form about `subject`, and sets the browser's cookie if it is missing. */
  issue(ctx: Context, subject: string): string
  isValid(ctx: Context, subject: string, token: string | undefined): boolean
}

/** Creates tokens that are an HMAC over the subject and a random value in a cookie of the browser. */
export function createCsrf(keyring: Keyring): Csrf {
  return {
    issue(ctx, subject) {
      const { newBrowser } = ctx.state
      const browser = browserOf(ctx) ?? newBrowser ?? giveCookie(ctx)
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
  ctx.state.newBrowser = value
  return value
}
