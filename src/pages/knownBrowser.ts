import type { Context } from 'koa'
import { readOwnCookie, setOwnCookie } from '../base/http/ownCookie.ts'
import { type Keyring, randomToken } from '../base/keyring.ts'
import { isSessionOver } from '../identity/signIn/browserSessions.ts'

/**
 * Recognises browsers that signed in to an account before, so that their sign-ins have a separate rate limit. The cookie is not a session:
 * it grants no access, and it does not contain the e-mail address. It ends when the password is changed and when the person signs out
 * everywhere.
 */
export interface KnownBrowsers {
  /** Returns the id of this browser for the account with this address, or undefined if it did not sign in with the current password. */
  find(ctx: Context, email: string): Promise<string | undefined>
  /**
   * Remembers that this browser signed in to the account with this address. Returns true if it was known. A sign-in whose session has
   * ended meanwhile is not remembered. Without `signedInAt`, the password was just chosen in this browser.
   */
  remember(ctx: Context, signIn: { email: string; signedInAt?: number }): Promise<boolean>
}

export interface KnownAccount {
  /** A text that changes with the password and when every session is ended. */
  version: string
  sessionsValidAfter: Date | null
}

export interface KnownBrowserArguments {
  keyring: Keyring
  /** How long a browser is recognised after its last sign-in. */
  days(): number
  findAccount(schoolId: string, email: string): Promise<KnownAccount | undefined>
}

interface Entry {
  id: string
  /** Seconds since 1970, in base 36. */
  issued: string
  signature: string
}

const cookie = 'sg_known'
/** Accounts that one browser is recognised for: people share computers. */
const maxEntries = 5
const entryForm = /^([\w-]{22})\.([0-9a-z]{1,9})\.([\w-]{43})$/

export function createKnownBrowsers({ keyring, days, findAccount }: KnownBrowserArguments): KnownBrowsers {
  // Read once for each request. A version that is out of date when the browser is remembered makes an entry that is not valid.
  const accounts = new WeakMap<Context, Promise<KnownAccount | undefined>>()
  const accountOf = (ctx: Context, email: string): Promise<KnownAccount | undefined> => {
    const found = accounts.get(ctx) ?? findAccount(ctx.state.school.id, email)
    accounts.set(ctx, found)
    return found
  }

  const now = (): number => Math.floor(keyring.now() / 1000)
  const lifeSeconds = (): number => days() * 86_400

  const isAlive = ({ issued }: Entry): boolean => {
    const at = Number.parseInt(issued, 36)
    return at <= now() + 60 && at + lifeSeconds() > now()
  }

  const entriesOf = (ctx: Context): Entry[] =>
    (readOwnCookie(ctx, cookie) ?? '')
      .split('~', maxEntries)
      .flatMap((text) => {
        const [, id, issued, signature] = entryForm.exec(text) ?? []
        return id && issued && signature ? [{ id, issued, signature }] : []
      })
      .filter(isAlive)

  // The signature binds an entry to a school, an account and its version. Entries of other accounts look like forged ones.
  const signedText = (ctx: Context, email: string, { version }: KnownAccount) => {
    const { school } = ctx.state
    return ({ id, issued }: Pick<Entry, 'id' | 'issued'>): string => JSON.stringify([school.id, email, version, id, issued])
  }

  return {
    async find(ctx, email) {
      const entries = entriesOf(ctx)
      const account = entries.length === 0 ? undefined : await accountOf(ctx, email)
      if (!account) return undefined
      const text = signedText(ctx, email, account)
      return entries.find((entry) => keyring.verify('known browsers', text(entry), entry.signature))?.id
    },
    async remember(ctx, { email, signedInAt }) {
      if (signedInAt === undefined) accounts.delete(ctx)
      const account = await accountOf(ctx, email)
      if (!account || (signedInAt !== undefined && isSessionOver(signedInAt, account.sessionsValidAfter))) return false
      const text = signedText(ctx, email, account)
      const entries = entriesOf(ctx)
      const own = entries.filter((entry) => keyring.verify('known browsers', text(entry), entry.signature))
      const others = entries.filter((entry) => !own.includes(entry)).slice(0, maxEntries - 1)
      // The id stays the same: another sign-in does not reset the rate limit.
      const fresh = { id: own[0]?.id ?? randomToken(128), issued: now().toString(36) }
      const entry = { ...fresh, signature: keyring.sign('known browsers', text(fresh)) }
      const value = [entry, ...others].map(({ id, issued, signature }) => `${id}.${issued}.${signature}`).join('~')
      setOwnCookie(ctx, cookie, { value, lifeSeconds: lifeSeconds() })
      return own.length > 0
    },
  }
}
