import { isLinkable } from '../../lib/webUrl.ts'
import { findBranding, findCustomCss, type LogoRow } from '../../store/appearance.ts'
import type { Reader } from '../../store/database.ts'
import { type ThemeSettings, themeDefaults } from './themes.ts'

/** A logo of a school, for light or for dark backgrounds. */
export type Logo = LogoRow

/** The theme settings of a school, with its logos. */
export interface SchoolTheme extends ThemeSettings {
  logo: Logo | null
  logo_dark: Logo | null
}

/** The branding of a school's pages. */
export interface PageBranding {
  name: string
  /** The main language of the school (BCP 47). */
  locale: string
  /** IANA name. */
  timeZone: string
  /** True if anybody may create an account. */
  isOpenToSignUp: boolean
  /** The addresses that the school set for its privacy policy and its terms. */
  legal: { privacy: string | undefined; terms: string | undefined }
  theme: SchoolTheme
}

/** Returns the current branding of a school's pages, with the unchanged default theme if the school has none. */
export async function pageBranding(database: Reader, schoolId: string): Promise<PageBranding> {
  const {
    name = 'School',
    locale = '',
    time_zone: timeZone = 'UTC',
    registration,
    legal,
    looks,
  } = (await findBranding(database, schoolId)) ?? {}
  const theme = looks ? (looks as unknown as SchoolTheme) : { ...themeDefaults('studio'), logo: null, logo_dark: null }
  const { privacy_url, terms_url } = legal ?? {}
  return {
    ...{ name, locale, timeZone, isOpenToSignUp: registration === 'open', theme },
    legal: { privacy: linkable(privacy_url), terms: linkable(terms_url) },
  }
}

const linkable = (address: string | null | undefined): string | undefined => (address && isLinkable(address) ? address : undefined)

/** Returns the school's own stylesheet, or an empty text. It was checked when it was saved. */
export const customCss = (database: Reader, schoolId: string): Promise<string> => findCustomCss(database, schoolId)
