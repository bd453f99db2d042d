import type { Context } from 'koa'
import { readOwnCookie, setOwnCookie } from '../base/http/ownCookie.ts'
import { type Language, languages, lookUpLanguage } from '../base/text/languages.ts'

export interface LanguageState {
  /** Chosen with the language link of a page, in this request. */
  chosenLanguage?: Language | undefined
  /** `ui_locales` of the authorization request (OpenID Connect Core section 3.1.2.1). */
  uiLocales?: unknown
  accountLocale?: string | null
  /** The time zone of the signed-in account (IANA); null: that of the school. */
  accountTimeZone?: string | null
}

declare module 'koa' {
  interface DefaultState extends LanguageState {}
}

export const languageParameter = 'lang'

const cookie = 'sg_language'
/** The language of the account that is signed in. It is not a choice: another account replaces it. */
const accountCookie = 'sg_account_language'
const lifeSeconds = 365 * 86_400

/** Reads the language that a link of a page has chosen, and stores it in a cookie of the browser. */
export function rememberLanguage(isPage: (path: string) => boolean): (ctx: Context) => void {
  return (ctx) => {
    const chosen = isPage(ctx.path) ? lookUpLanguage([ctx.query[languageParameter]], languages) : undefined
    if (chosen) {
      Object.assign(ctx.state, { chosenLanguage: chosen } satisfies LanguageState)
      setOwnCookie(ctx, cookie, { value: chosen, lifeSeconds })
    }
  }
}

/**
 * Uses the account's locale for the pages of this request, and stores it for pages that do not read the account: until the browser is
 * closed, another account signs in, or the person signs out.
 */
export function useAccountLocale(ctx: Context, locale: string | null): void {
  Object.assign(ctx.state, { accountLocale: locale } satisfies LanguageState)
  const language = lookUpLanguage([locale], languages)
  if (language === readOwnCookie(ctx, accountCookie)) return
  if (language) setOwnCookie(ctx, accountCookie, { value: language })
  else forgetAccountLocale(ctx)
}

export function forgetAccountLocale(ctx: Context): void {
  if (readOwnCookie(ctx, accountCookie)) setOwnCookie(ctx, accountCookie, { value: '', lifeSeconds: 0 })
}

/** Stores the language that the person chose for their account as the language of this browser; `null` forgets an earlier choice. */
export function rememberLanguageOf(ctx: Context, locale: string | null): void {
  const chosen = lookUpLanguage([locale], languages)
  setOwnCookie(ctx, cookie, chosen ? { value: chosen, lifeSeconds } : { value: '', lifeSeconds: 0 })
}

/**
 * Returns the language of a page. Order: the choice in this request, the `ui_locales` of the app, an earlier choice, the locale of the
 * account (on pages that do not know it, of the account that is signed in here), Accept-Language. `schoolLocale` is the fallback if none of them is a language of the school.
 */
export function languageOf(ctx: Context, { available, schoolLocale }: { available: readonly Language[]; schoolLocale: string }): Language {
  const { chosenLanguage, uiLocales, accountLocale = readOwnCookie(ctx, accountCookie) } = ctx.state
  const requested = typeof uiLocales === 'string' ? uiLocales.split(' ').slice(0, 10) : []
  const [first = languages[0]] = available
  const fallback = lookUpLanguage([schoolLocale], available) ?? first
  return (lookUpLanguage([chosenLanguage, ...requested, readOwnCookie(ctx, cookie), accountLocale], available) ??
    // The first entry is the result for `*`.
    (ctx.acceptsLanguages([fallback, ...available]) || fallback)) as Language
}
