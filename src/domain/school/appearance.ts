import { findAppearance, findCustomCss, type LogoRow } from '../../store/appearance.ts'
import type { Reader } from '../../store/database.ts'
import { type ThemeSettings, themeDefaults } from './themes.ts'

/** A logo of a school, for light or for dark backgrounds. */
export type Logo = LogoRow

/** The theme settings of a school, with its logos. */
export interface SchoolTheme extends ThemeSettings {
  logo: Logo | null
  logo_dark: Logo | null
}

/** Returns the theme settings of a school's pages; the unchanged default theme if the school has none. */
export async function schoolTheme(database: Reader, schoolId: string): Promise<SchoolTheme> {
  const row = await findAppearance(database, schoolId)
  if (!row) return { ...themeDefaults('studio'), logo: null, logo_dark: null }
  const { theme, mode, colors, fonts, corner_radius, logo, logo_dark } = row as unknown as SchoolTheme
  return { theme, mode, colors, fonts, corner_radius, logo, logo_dark }
}

/** Returns the school's own stylesheet, or an empty text. It was checked when it was saved. */
export const customCss = (database: Reader, schoolId: string): Promise<string> => findCustomCss(database, schoolId)
