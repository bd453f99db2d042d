import type { Context } from 'koa'
import { browserCookie, browserOf, setOwnCookie } from '../base/http/ownCookie.ts'
import { hash, type Keyring, randomToken } from '../base/keyring.ts'

/** Binds a form to the browser that it was shown in. */
export interface Csrf {
  /**
   * Returns the token of a form about `subject`, and sets the browser's cookie if it is missing. With an account, the token also says to whom
   * the form was shown, sealed: a form that is sent after the session has ended is known by it.
   */
  issue(ctx: Context, subject: string, accountId?: string): string
  isValid(ctx: Context, subject: string, token: string | undefined): boolean
  /** Returns the account to which a form was shown in this browser, whether its session has ended or not. It does not prove who sends the form. */
  accountOf(ctx: Context, token: string | undefined): string | undefined
}

/**
 * Creates tokens that are an HMAC over the subject and a random value in a cookie of the browser. With an account, a point and the sealed
 * account follow.
 */
export function createCsrf(keyring: Keyring): Csrf {
  return {
    issue(ctx, subject, accountId) {
      const { newBrowser, school } = ctx.state
      const browser = browserOf(ctx) ?? newBrowser ?? giveCookie(ctx)
      const shownTo = accountId === undefined ? '' : `.${keyring.seal('kept forms', JSON.stringify([school.id, accountId, hash(browser)]))}`
      return keyring.sign('csrf', `${subject} ${browser}`) + shownTo
    },
    isValid(ctx, subject, token) {
      const browser = browserOf(ctx)
      const signature = token?.split('.', 1)[0]
      return browser !== undefined && signature !== undefined && keyring.verify('csrf', `${subject} ${browser}`, signature)
    },
    accountOf(ctx, token = '') {
      const browser = browserOf(ctx)
      const text = keyring.tryOpen('kept forms', token.slice(token.indexOf('.') + 1))
      if (browser === undefined || text === undefined) return undefined
      const [schoolId, accountId, shownIn]: unknown[] = JSON.parse(text)
      return schoolId === ctx.state.school.id && shownIn === hash(browser) ? String(accountId) : undefined
    },
  }
}

function giveCookie(ctx: Context): string {
  const value = randomToken(256)
  setOwnCookie(ctx, browserCookie, { value })
  ctx.state.newBrowser = value
  return value
}
