import type { Context } from 'koa'
import { browserCookie, browserOf, setOwnCookie } from '../http/ownCookie.ts'
import { type Keyring, randomToken } from '../lib/keyring.ts'

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

function giveCookie(ctx: Context): string {
  const value = randomToken(256)
  setOwnCookie(ctx, browserCookie, { value })
  ctx.state.newBrowser = value
  return value
}
