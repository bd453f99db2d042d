import type { Context } from 'koa'
import { readOwnCookie, setOwnCookie } from '../http/ownCookie.ts'
import { type Keyring, randomToken } from '../lib/keyring.ts'

/**
 * Recognises browsers that signed in to an account before, so that their sign-ins have a separate rate limit. The cookie is not a session:
 * it grants no access, and it does not contain the e-mail address.
 */
export interface KnownBrowsers {
  /** Returns the id of this browser for the account with this address, or undefined if it never signed in to it. */
  find(ctx: Context, email: string): string | undefined
  /** Remembers that this browser signed in to the account with this address. */
  remember(ctx: Context, email: string): void
}

export interface KnownBrowserArguments {
  keyring: Keyring
  /** How long a browser is recognised after its last sign-in. */
  days(): number
}

interface Entry {
  id: string
  /** Seconds since 1970, in base 36. */
  issued: string
  signature: string
}

const cookie = 'sg_known'
/** Accounts that one browser is recognised for: people share computers. */
const mostEntries = 5
const entryForm = /^([\w-]{22})\.([0-9a-z]{1,9})\.([\w-]{43})$/

export function createKnownBrowsers({ keyring, days }: KnownBrowserArguments): KnownBrowsers {
  const now = (): number => Math.floor(Date.now() / 1000)
  const lifeSeconds = (): number => days() * 86_400

  // The signature binds an entry to a school and an account. Entries of other accounts look like forged ones.
  const signed = (ctx: Context, email: string, { id, issued }: Pick<Entry, 'id' | 'issued'>): string =>
    JSON.stringify([ctx.state.school.id, email, id, issued])

  const isOf = (ctx: Context, email: string, entry: Entry): boolean =>
    keyring.verify('known browsers', signed(ctx, email, entry), entry.signature)

  const isAlive = ({ issued }: Entry): boolean => {
    const at = Number.parseInt(issued, 36)
    return at <= now() + 60 && at + lifeSeconds() > now()
  }

  const entriesOf = (ctx: Context): Entry[] =>
    (readOwnCookie(ctx, cookie) ?? '')
      .split('~', mostEntries)
      .flatMap((text) => {
        const [, id, issued, signature] = entryForm.exec(text) ?? []
        return id && issued && signature ? [{ id, issued, signature }] : []
      })
      .filter(isAlive)

  return {
    find: (ctx, email) => entriesOf(ctx).find((entry) => isOf(ctx, email, entry))?.id,
    remember(ctx, email) {
      const entries = entriesOf(ctx)
      const own = entries.filter((entry) => isOf(ctx, email, entry))
      const others = entries.filter((entry) => !own.includes(entry)).slice(0, mostEntries - 1)
      // The id stays the same: another sign-in does not reset the rate limit.
      const fresh = { id: own[0]?.id ?? randomToken(128), issued: now().toString(36) }
      const entry = { ...fresh, signature: keyring.sign('known browsers', signed(ctx, email, fresh)) }
      const value = [entry, ...others].map(({ id, issued, signature }) => `${id}.${issued}.${signature}`).join('~')
      setOwnCookie(ctx, cookie, { value, lifeSeconds: lifeSeconds() })
    },
  }
}
