import type { Context } from 'koa'
import { type Language, languages, lookUpLanguage } from '../lib/languages.ts'
import { readOwnCookie, setOwnCookie } from './ownCookie.ts'

/** The language preferences of a request. */
export interface LanguageState {
  /** Chosen with the language link of a page, in this request. */
  chosenLanguage?: Language | undefined
  /** `ui_locales` of the authorization request (OpenID Connect Core section 3.1.2.1). */
  uiLocales?: unknown
  /** The locale of the signed-in account. */
  accountLocale?: string | null
}

declare module 'koa' {
  interface DefaultState extends LanguageState {}
}

/** Query parameter of the language links. */
export const languageParameter = 'lang'

const cookie = 'sg_language'
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
 * Returns the language of a page. Order: the choice in this request, the `ui_locales` of the app, an earlier choice, the account's locale,
 * Accept-Language. `schoolLocale` is the fallback if none of them is a language of the school.
 */
export function languageOf(ctx: Context, { available, schoolLocale }: { available: readonly Language[]; schoolLocale: string }): Language {
  const { chosenLanguage, uiLocales, accountLocale } = ctx.state
  const asked = typeof uiLocales === 'string' ? uiLocales.split(' ').slice(0, 10) : []
  const [first = languages[0]] = available
  const fallback = lookUpLanguage([schoolLocale], available) ?? first
  return (lookUpLanguage([chosenLanguage, ...asked, readOwnCookie(ctx, cookie), accountLocale], available) ??
    // The first entry is the result for `*`.
    (ctx.acceptsLanguages([fallback, ...available]) || fallback)) as Language
}
