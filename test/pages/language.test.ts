import fc from 'fast-check'
import Koa, { type Context } from 'koa'
import { describe, expect, test } from 'vitest'
import { type Language, languages, lookUpLanguage } from '../../src/base/text/languages.ts'
import { type LanguageState, languageOf } from '../../src/pages/language.ts'

describe('a wanted language', () => {
  test.each([
    [['de-AT'], 'de'],
    [['DE'], 'de'],
    [['de-Latn-AT-1996', 'en'], 'de'],
    [['fr', 'en-GB', 'de'], 'en'],
    [['deu'], undefined],
    [['d'], undefined],
    [[''], undefined],
    [['*'], undefined],
    [[undefined, null, 5, {}, 'de'], 'de'],
    [['__proto__', 'constructor'], undefined],
    [[`de${'-x'.repeat(200)}`], undefined],
    [[...Array(20).fill('fr'), 'de'], undefined],
  ])('for %j is %s (RFC 4647 section 3.4)', (wanted, found) => {
    expect(lookUpLanguage(wanted, languages)).toBe(found)
  })

  test('is one that there is, or none, whatever a stranger writes', () => {
    fc.assert(
      fc.property(fc.array(fc.anything()), fc.subarray([...languages]), (wanted, available) => {
        const found = lookUpLanguage(wanted, available)
        expect(found === undefined || available.includes(found)).toBe(true)
      }),
    )
  })
})

describe('the language of a page', () => {
  interface Given extends LanguageState {
    cookie?: string
    header?: string
    available?: readonly Language[]
    schoolLocale?: string
  }
  const pageIn = ({ cookie, header, available = languages, schoolLocale = 'en', ...state }: Given): Language => {
    const headers = {
      ...(header === undefined ? {} : { 'accept-language': header }),
      ...(cookie ? { cookie: `sg_language=${cookie}` } : {}),
    }
    const ctx = new Koa().createContext({ headers, socket: {} } as never, { getHeader() {} } as never) as Context
    Object.assign(ctx.state, state, { school: { issuer: 'http://127.0.0.1:3000' } })
    return languageOf(ctx, { available, schoolLocale })
  }

  test.each<[string, Given, Language]>([
    ['what the person has just chosen', { chosenLanguage: 'de', uiLocales: 'en', cookie: 'en', accountLocale: 'en', header: 'en' }, 'de'],
    ['what the app asks for', { uiLocales: 'fr de-CH', cookie: 'en', accountLocale: 'en', header: 'en' }, 'de'],
    ['an earlier choice in this browser', { uiLocales: 'fr', cookie: 'de', accountLocale: 'en', header: 'en' }, 'de'],
    ["the account's locale", { accountLocale: 'de-AT', header: 'en' }, 'de'],
    ["the browser's preference", { header: 'fr;q=1, de-AT;q=0.9, en;q=0.8', accountLocale: null }, 'de'],
    ["the school's own language", { header: 'fr', schoolLocale: 'de-DE' }, 'de'],
    ["the school's own language, where the browser takes any", { header: '*', schoolLocale: 'de' }, 'de'],
    ["the school's own language, where nothing is said", { schoolLocale: 'de' }, 'de'],
    ['the first that the school has', { schoolLocale: 'fr', available: ['de', 'en'] }, 'de'],
    [
      'only what the school has',
      { chosenLanguage: 'en', uiLocales: 'en', cookie: 'en', accountLocale: 'en', header: 'en', available: ['de'] },
      'de',
    ],
  ])('is %s', (_name, given, language) => {
    expect(pageIn(given)).toBe(language)
  })

  test('is one of the school, whatever the request contains', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.anything(), fc.string(), (cookie, header, uiLocales, accountLocale) => {
        expect(languages).toContain(
          pageIn({ cookie: encodeURIComponent(cookie), header, uiLocales, accountLocale, schoolLocale: accountLocale }),
        )
      }),
    )
  })
})
