import { findAppearance, findCustomCss, type LogoRow } from '../../store/appearance.ts'
import type { Sql } from '../../store/sql.ts'
import { type Look, lookOf } from './themes.ts'

/** A logo of a school, for one kind of ground. */
export type Logo = LogoRow

/** The looks of a school with its logos. */
export interface SchoolLook extends Look {
  logo: Logo | null
  logo_dark: Logo | null
}

/** How the pages of a school look now; a theme as it comes where the school has no looks of its own. */
export async function schoolLook(sql: Sql, schoolId: string): Promise<SchoolLook> {
  const row = await findAppearance(sql, schoolId)
  if (!row) return { ...lookOf('studio'), logo: null, logo_dark: null }
  const { theme, mode, colors, fonts, corner_radius, logo, logo_dark } = row as unknown as SchoolLook
  return { theme, mode, colors, fonts, corner_radius, logo, logo_dark }
}

/** The school's own stylesheet, empty where it has none. Judged when it was written. */
export const customCss = (sql: Sql, schoolId: string): Promise<string> => findCustomCss(sql, schoolId)
