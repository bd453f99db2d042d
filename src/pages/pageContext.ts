import type { Context } from 'koa'
import { LRUCache } from 'lru-cache'
import { type Language, languages } from '../lib/languages.ts'
import { palettes } from '../lib/palettes.ts'
import { type LegalAddresses, type LegalDocuments, legalKinds } from '../policy/legalDocuments.ts'
import type { School } from '../policy/school.ts'
import { legalAddresses } from '../resources/legalAddresses.ts'
import { languageOf, languageParameter } from './language.ts'
import type { PageTheme } from './pageTheme.ts'
import { type PageLogo, schoolLogo } from './schoolLogo.ts'
import { schoolStylesheet } from './schoolStylesheet.ts'
import { createTexts, type Texts, textsIn } from './texts.ts'

/** The language, the time zone and the school's theme, which all pages of one response share. */
export interface PageContext {
  texts: Texts
  schoolName: string
  /**
   * Returns true if anybody may create an account at the school.
   * @throws the error of the database if the school's row could not be read: a page that depends on it is not shown
   */
  isOpenToSignUp(): boolean
  schoolLogo: PageLogo | undefined
  /** Links to the legal documents that the school has. */
  legalLinks: { href: string; label: string }[]
  /** Address of the privacy policy. */
  privacyUrl: string | undefined
  /** Path of the style sheet with the school's colours. */
  schoolStylesheet: string
  /** Links to the same page in the school's languages; empty if there is only one, or if the page cannot be requested again. */
  languageLinks: LanguageLink[]
}

/** A language, named in that language. */
export interface LanguageLink {
  language: Language
  label: string
  href: string
  isCurrent: boolean
}

/** The branding of a school, which all its pages show. */
export interface SchoolBranding {
  name: string
  /** The main language of the school (BCP 47). */
  locale: string
  /** IANA name. */
  timeZone: string
  isOpenToSignUp: boolean
  legal: LegalDocuments
  theme: PageTheme
}

/** Returns the context of a page. `again` is the path at which GET shows the page that POST responded with. */
export type FindPageContext = (ctx: Context, again?: string) => Promise<PageContext>

export interface PageContextArguments {
  branding(school: School): Promise<SchoolBranding>
  /** Languages of the school's pages. */
  languages(school: School): readonly Language[]
  /** Returns false if another site shows the public pages of the school. */
  hasPages(school: School): boolean
}

/** Time zones whose texts are kept, by language. */
const mostZones = 200
/** Themes of schools whose colours are kept. */
const mostThemes = 200

const labels = new Map<Language, string>(
  languages.map((language) => [language, new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language]),
)

/**
 * Creates the function that returns page contexts. They are available even if the school's row cannot be read: an error page must not fail.
 */
export function createPageContexts({ branding, languages: languagesOf, hasPages }: PageContextArguments): FindPageContext {
  const spoken = new Map<Language, Texts>(languages.map((language) => [language, createTexts(language)]))
  // Checking the name of a time zone takes longer than rendering most pages.
  const zoned = new LRUCache<string, Texts>({ max: mostZones })
  const textsOf = (language: Language, timeZone: string): Texts => {
    const key = `${language} ${timeZone}`
    const found = zoned.get(key) ?? textsIn(timeZone, spoken.get(language) ?? createTexts(language))
    zoned.set(key, found)
    return found
  }
  // Colours that can be read on each other take longer to find than the rest of a page.
  const styled = new LRUCache<string, Pick<PageContext, 'schoolLogo' | 'schoolStylesheet'>>({ max: mostThemes })
  const lookOf = (theme: PageTheme, name: string) => {
    const key = JSON.stringify([name, theme])
    const found = styled.get(key) ?? { schoolLogo: schoolLogo(theme, name), schoolStylesheet: schoolStylesheet(theme).href }
    styled.set(key, found)
    return found
  }
  return async (ctx, again) => {
    const { school }: { school?: School } = ctx.state
    const available = school ? languagesOf(school) : languages
    const { name, locale, timeZone, theme, legal: documents, ...found } = await brandingOf(branding, school)
    const language = languageOf(ctx, { available, schoolLocale: locale })
    const texts = textsOf(language, ctx.state.accountTimeZone ?? timeZone)
    const legal = school ? legalAddresses(documents, hasPages(school)) : {}
    return {
      texts,
      schoolName: name,
      isOpenToSignUp() {
        if ('failure' in found) throw found.failure
        return found.isOpenToSignUp
      },
      ...lookOf(theme, name),
      legalLinks: legalLinksOf(texts, legal),
      privacyUrl: legal.privacy,
      languageLinks: linksOf(available, language, again ?? askedAgain(ctx)),
    }
  }
}

/** The branding of a school whose row cannot be read, and the reason. */
type PlainBranding = Omit<SchoolBranding, 'isOpenToSignUp'> & { failure: unknown }

async function brandingOf(branding: PageContextArguments['branding'], school: School | undefined): Promise<SchoolBranding | PlainBranding> {
  if (!school) return { ...plainBranding('Schoolgate'), isOpenToSignUp: false }
  return branding(school).catch((failure: unknown) => ({ ...plainBranding(school.slug), failure }))
}

const plainTheme: PageTheme = { mode: 'auto', colors: palettes.studio, corner_radius: 'medium', logo: null, logo_dark: null }
const plainBranding = (name: string) => ({ name, locale: '', timeZone: 'UTC', theme: plainTheme, legal: {} })

const legalLinksOf = (texts: Texts, addresses: LegalAddresses): PageContext['legalLinks'] =>
  legalKinds.flatMap((kind) => {
    const href = addresses[kind]
    return href === undefined ? [] : [{ href, label: texts.text(`home.${kind}`) }]
  })

/** Returns the path and query of this request; undefined if repeating the request could have another effect. */
function askedAgain({ method, path, search }: Context): string | undefined {
  // A path that begins with two slashes would lead to another host.
  return (method === 'GET' || method === 'HEAD') && !path.startsWith('//') ? path + search : undefined
}

function linksOf(available: readonly Language[], current: Language, again: string | undefined): LanguageLink[] {
  if (again === undefined || available.length < 2) return []
  const [path, query] = again.split('?', 2)
  return available.map((language) => {
    const parameters = new URLSearchParams(query)
    parameters.set(languageParameter, language)
    return {
      language,
      label: labels.get(language) ?? language,
      href: `${path}?${parameters}`,
      isCurrent: language === current,
    }
  })
}

/** Returns the language that a link to another page must carry because only this request knows it. */
export const linkLanguageOf = (ctx: Context, { texts }: PageContext): Language | undefined =>
  typeof ctx.state.uiLocales === 'string' ? texts.language : undefined
