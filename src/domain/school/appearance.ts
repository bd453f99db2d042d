import type { LegalDocuments } from '../../policy/legalDocuments.ts'
import { findBranding, findCustomCss, type LogoRow } from '../../store/appearance.ts'
import type { Reader } from '../../store/database.ts'
import type { StatementCache } from '../../store/statementCache.ts'
import { isOpenToVisitors } from '../pages/pageAccess.ts'
import { legalDocuments, legalSlugs } from './legalDocuments.ts'
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
  legal: LegalDocuments
  theme: SchoolTheme
}

/** Returns the current branding of a school's pages, with the unchanged default theme if the school has none. */
export async function pageBranding(database: Reader, schoolId: string, statements: StatementCache): Promise<PageBranding> {
  const row = await findBranding(database, schoolId, { slugs: Object.values(legalSlugs), isOpen: isOpenToVisitors, statements })
  const { name = 'School', locale = '', time_zone: timeZone = 'UTC', registration, looks } = row ?? {}
  const theme = looks ? (looks as unknown as SchoolTheme) : { ...themeDefaults('studio'), logo: null, logo_dark: null }
  const legal = row ? await legalDocuments(database, schoolId, row) : {}
  return { name, locale, timeZone, isOpenToSignUp: registration === 'open', theme, legal }
}

/** Returns the school's own stylesheet, or an empty text. It was checked when it was saved. */
export const customCss = (database: Reader, schoolId: string): Promise<string> => findCustomCss(database, schoolId)
