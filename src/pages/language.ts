import type { Context, Middleware } from 'koa'
import { type Language, languages, lookUpLanguage } from '../lib/languages.ts'
import { readOwnCookie, setOwnCookie } from './ownCookie.ts'

/** What a request tells of the language that a person reads, as its road finds it out. */
export interface LanguageState {
  /** Chosen on one of our pages with this very request. */
  chosenLanguage?: Language | undefined
  /** `ui_locales` of the authorization request (OpenID Connect Core section 3.1.2.1). */
  uiLocales?: unknown
  /** The locale of the account that is signed in. */
  accountLocale?: string | null
}

/** The parameter with which a link of a page chooses a language. */
export const languageParameter = 'lang'

const cookie = 'sg_language'
const lifeSeconds = 365 * 86_400

/** Takes the choice that a link of a page carries, and remembers it in this browser. */
export function rememberLanguage(isPage: (path: string) => boolean): Middleware {
  return (ctx: Context, next) => {
    const chosen = isPage(ctx.path) ? lookUpLanguage([ctx.query[languageParameter]], languages) : undefined
    if (chosen) {
      Object.assign(ctx.state, { chosenLanguage: chosen } satisfies LanguageState)
      setOwnCookie(ctx, cookie, { value: chosen, lifeSeconds })
    }
    return next()
  }
}

/**
 * The language of a page. What the person has just chosen stands above what the app asks for, and that above an earlier choice;
 * `schoolLocale` is what stands where nobody asks for any of the school's languages.
 */
export function languageOf(ctx: Context, { available, schoolLocale }: { available: readonly Language[]; schoolLocale: string }): Language {
  const { chosenLanguage, uiLocales, accountLocale } = ctx.state as LanguageState
  const asked = typeof uiLocales === 'string' ? uiLocales.split(' ').slice(0, 10) : []
  const [first = languages[0]] = available
  const fallback = lookUpLanguage([schoolLocale], available) ?? first
  return (lookUpLanguage([chosenLanguage, ...asked, readOwnCookie(ctx, cookie), accountLocale], available) ??
    // The fallback stands first: it is the answer to `*`.
    (ctx.acceptsLanguages([fallback, ...available]) || fallback)) as Language
}
