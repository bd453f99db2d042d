import type { Context } from 'koa'
import { type Language, languages } from '../lib/languages.ts'
import { palettes } from '../lib/palettes.ts'
import type { School } from '../policy/school.ts'
import { type LanguageState, languageOf, languageParameter } from './language.ts'
import type { Look } from './look.ts'
import { type PageLogo, schoolLogo } from './schoolLogo.ts'
import { schoolStylesheet } from './schoolStylesheet.ts'
import { createTexts, type Texts } from './texts.ts'

/** What is the same for every page of one answer: the person's language, and the school. */
export interface PageContext {
  texts: Texts
  schoolName: string
  schoolLogo: PageLogo | undefined
  /** Address of the school's colours. */
  schoolStylesheet: string
  /** The same page in the school's languages; empty where there is one, or where the page cannot be asked for again. */
  languageLinks: LanguageLink[]
}

/** A language by its own name. */
export interface LanguageLink {
  language: Language
  label: string
  href: string
  isCurrent: boolean
}

/** How a school presents itself. */
export interface SchoolFace {
  name: string
  /** The main language of the school (BCP 47). */
  locale: string
}

/** Finds out the setting of a page. `again` is the path of the same page for an answer to POST. */
export type FindSetting = (ctx: Context, again?: string) => Promise<PageContext>

export interface SettingArguments {
  face(school: School): Promise<SchoolFace>
  look(school: School): Promise<Look>
  /** Languages of the school's pages. */
  languages(school: School): readonly Language[]
}

/** Makes the settings. They are found also where the school's row cannot be read: a failure page must not fail. */
export function createSettings({ face, look, languages: languagesOf }: SettingArguments): FindSetting {
  const spoken = new Map<Language, Texts>(languages.map((language) => [language, createTexts(language)]))
  return async (ctx, again) => {
    const { school } = ctx.state as { school?: School }
    const available = school ? languagesOf(school) : languages
    const { name, locale } = await faceOf(face, school)
    const looks = await lookOf(look, school)
    const language = languageOf(ctx, { available, schoolLocale: locale })
    return {
      texts: spoken.get(language) ?? createTexts(language),
      schoolName: name,
      schoolLogo: schoolLogo(looks, name),
      schoolStylesheet: schoolStylesheet(looks).href,
      languageLinks: linksOf(available, language, again ?? askedAgain(ctx)),
    }
  }
}

async function faceOf(face: SettingArguments['face'], school: School | undefined): Promise<SchoolFace> {
  if (!school) return { name: 'Schoolgate', locale: '' }
  return face(school).catch(() => ({ name: school.slug, locale: '' }))
}

async function lookOf(look: SettingArguments['look'], school: School | undefined): Promise<Look> {
  return school ? look(school).catch(() => plainLook) : plainLook
}

const plainLook: Look = { mode: 'auto', colors: palettes.studio, corner_radius: 'medium', logo: null, logo_dark: null }

/** The address of this request, as a path; undefined where asking again would be another thing. */
function askedAgain({ method, path, search }: Context): string | undefined {
  // Two slashes at the start would lead to another host.
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
      label: new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language,
      href: `${path}?${parameters}`,
      isCurrent: language === current,
    }
  })
}

/** The language that a way to another page has to carry, where nothing but this request tells it. */
export const languageToCarry = (ctx: Context, { texts }: PageContext): Language | undefined =>
  typeof (ctx.state as LanguageState).uiLocales === 'string' ? texts.language : undefined
