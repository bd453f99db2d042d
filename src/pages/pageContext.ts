import type { Context } from 'koa'
import { type Caches, createCaches } from '../base/process/caches.ts'
import type { School } from '../base/school.ts'
import { type Language, languages } from '../base/text/languages.ts'
import { schoolThemeColours } from '../base/themeColours.ts'
import { legalAddresses } from '../school/settings/legalAddresses.ts'
import { type LegalAddresses, type LegalDocuments, legalKinds } from '../school/settings/legalDocuments.ts'
import type { SchoolHelp } from '../school/settings/publicAppearance.ts'
import { themeDefaults } from '../school/settings/themes.ts'
import type { PageLink } from './documentLink.ts'
import { languageOf, languageParameter } from './language.ts'
import type { PageTheme } from './pageTheme.ts'
import { type PageLogo, schoolLogo } from './schoolLogo.ts'
import { schoolStylesheet } from './schoolStylesheet.ts'
import { createTexts, type TextPart, type Texts, textsIn } from './texts.ts'

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
  legalLinks: PageLink[]
  hasImprint: boolean
  /** The terms and the privacy policy, which apply to a new account. */
  accountDocuments: { text: TextPart[]; links: { href: string; label: string }[] } | undefined
  privacyUrl: string | undefined
  /** Where people ask the school for help. */
  help: { href: string; label: string } | undefined
  schoolStylesheet: string
  /** The background of the pages in the light and the dark theme. */
  themeColours: { light: string; dark: string }
  /** Links to the same page in the school's languages; empty if there is only one, or if the page cannot be requested again. */
  languageLinks: LanguageLink[]
}

export interface LanguageLink {
  language: Language
  label: string
  href: string
  isCurrent: boolean
}

export interface SchoolBranding {
  name: string
  /** The main language of the school (BCP 47). */
  locale: string
  timeZone: string
  isOpenToSignUp: boolean
  legal: LegalDocuments
  help?: SchoolHelp | undefined
  theme: PageTheme
}

/** Returns the context of a page. `again` is the path at which GET shows the page that POST responded with. */
export type FindPageContext = (ctx: Context, again?: string) => Promise<PageContext>

export interface PageContextArguments {
  caches?: Caches
  branding(school: School): Promise<SchoolBranding>
  languages(school: School): readonly Language[]
  /** Returns true if German pages address people informally. */
  isInformal?(school: School): boolean
  /** Returns false if another site shows the public pages of the school. */
  hasPages(school: School): boolean
}

const labels = new Map<Language, string>(
  languages.map((language) => [language, new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language]),
)

/**
 * Creates the function that returns page contexts. They are available even if the school's row cannot be read: an error page must not fail.
 */
export function createPageContexts({
  caches = createCaches(),
  branding,
  languages: languagesOf,
  isInformal = () => false,
  hasPages,
}: PageContextArguments): FindPageContext {
  // Checking the name of a time zone takes longer than rendering most pages.
  const zoned = caches.create<Texts>('page_texts')
  const textsOf = (language: Language, timeZone: string, informal: boolean): Texts => {
    const key = `${language} ${informal} ${timeZone}`
    const found = zoned.get(key) ?? textsIn(timeZone, createTexts(language, informal))
    zoned.set(key, found)
    return found
  }
  // Colours that can be read on each other take longer to find than the rest of a page.
  const styled = caches.create<Pick<PageContext, 'schoolLogo' | 'schoolStylesheet' | 'themeColours'>>('page_themes')
  const lookOf = (theme: PageTheme, name: string) => {
    const key = JSON.stringify([name, theme])
    const found = styled.get(key) ?? lookFor(theme, name)
    styled.set(key, found)
    return found
  }
  return async (ctx, again) => {
    const { school }: { school?: School } = ctx.state
    const available = school ? languagesOf(school) : languages
    const { name, locale, timeZone, theme, legal: documents, help, ...found } = await brandingOf(branding, school)
    const language = languageOf(ctx, { available, schoolLocale: locale })
    const texts = textsOf(language, ctx.state.accountTimeZone ?? timeZone, school !== undefined && isInformal(school))
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
      hasImprint: legal.imprint !== undefined,
      accountDocuments: accountDocumentsOf(texts, legal, name),
      privacyUrl: legal.privacy,
      help: help && helpLink(texts, help, name),
      languageLinks: linksOf(available, language, again ?? askedAgain(ctx)),
    }
  }
}

function lookFor(theme: PageTheme, name: string): Pick<PageContext, 'schoolLogo' | 'schoolStylesheet' | 'themeColours'> {
  const { light, dark } = schoolThemeColours(theme)
  return {
    schoolLogo: schoolLogo(theme, name),
    schoolStylesheet: schoolStylesheet(theme).href,
    themeColours: { light: light.background, dark: dark.background },
  }
}

/** The branding of a school whose row cannot be read, and the reason. */
type PlainBranding = Omit<SchoolBranding, 'isOpenToSignUp'> & { failure: unknown }

async function brandingOf(branding: PageContextArguments['branding'], school: School | undefined): Promise<SchoolBranding | PlainBranding> {
  if (!school) return { ...plainBranding('Schoolgate'), isOpenToSignUp: false }
  return branding(school).catch((failure: unknown) => ({ ...plainBranding(school.slug), failure }))
}

const plainTheme: PageTheme = { ...themeDefaults('studio'), logo: null, logo_dark: null }
const plainBranding = (name: string) => ({ name, locale: '', timeZone: 'UTC', theme: plainTheme, legal: {} })

const legalLinksOf = (texts: Texts, addresses: LegalAddresses): PageContext['legalLinks'] =>
  legalKinds.flatMap((kind) => {
    const href = addresses[kind]
    return href === undefined ? [] : [{ href, label: texts.text(`home.${kind}`) }]
  })

function accountDocumentsOf(texts: Texts, { terms, privacy }: LegalAddresses, school: string): PageContext['accountDocuments'] {
  const links = legalLinksOf(texts, { ...(privacy && { privacy }), ...(terms && { terms }) })
  return links.length > 0 ? { text: texts.parts('sign_up.documents', { school }), links } : undefined
}

function helpLink(texts: Texts, help: SchoolHelp, school: string): { href: string; label: string } {
  if ('url' in help) return { href: help.url, label: texts.text('help.page', { school }) }
  const href = `mailto:${encodeURIComponent(help.email).replaceAll('%40', '@')}`
  return { href, label: texts.text('help.email', { address: help.email }) }
}

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
