import { type Handle, rawSql } from './rawSql.ts'

/** The looks of a school, as the columns of its row. */
export interface LookRow {
  theme: string
  mode: string
  colors: object
  fonts: object
  corner_radius: string
}

/** Makes the row of a school's looks the first time. Afterwards the school's staff own it. */
export async function ensureAppearance(sql: Handle, schoolId: string, look: LookRow): Promise<void> {
  await rawSql(sql).query(
    `INSERT INTO appearance (school_id, id, theme, mode, colors, fonts, corner_radius)
     VALUES ($1, $1, $2, $3, $4, $5, $6) ON CONFLICT (school_id) DO NOTHING`,
    [schoolId, look.theme, look.mode, JSON.stringify(look.colors), JSON.stringify(look.fonts), look.corner_radius],
  )
}

/** A logo as it is stored: a file that anybody may see, and what can be seen on it. */
export interface LogoRow {
  id: string
  filename: string
  alt: string | null
  width: number | null
  height: number | null
}

const logo = (name: 'logo' | 'logo_dark'): string =>
  `(SELECT json_build_object('id', f.id, 'filename', f.filename, 'alt', a.${name}_alt, 'width', f.width, 'height', f.height)
      FROM file f
     WHERE f.school_id = a.school_id AND f.id = a.${name}_file_id AND f.status = 'ready' AND f.visibility = 'public') AS ${name}`

/** The looks of a school with its logos. */
export interface AppearanceRow extends LookRow {
  logo: LogoRow | null
  logo_dark: LogoRow | null
}

/** The looks of a school now; undefined where it has no row yet. */
export async function findAppearance(sql: Handle, schoolId: string): Promise<AppearanceRow | undefined> {
  const rows = await rawSql(sql).query<AppearanceRow>(
    `SELECT theme, mode, colors, fonts, corner_radius, ${logo('logo')}, ${logo('logo_dark')} FROM appearance a WHERE school_id = $1`,
    [schoolId],
    'appearance',
  )
  return rows[0]
}

/** The stylesheet of the school's own, empty where it has none. */
export async function findCustomCss(sql: Handle, schoolId: string): Promise<string> {
  const rows = await rawSql(sql).query<{ custom_css: string | null }>(
    'SELECT custom_css FROM appearance WHERE school_id = $1',
    [schoolId],
    'custom_css',
  )
  return rows[0]?.custom_css ?? ''
}
