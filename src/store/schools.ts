import { newId } from '../lib/ids.ts'
import { type Handle, rawSql } from './rawSql.ts'

export interface SchoolDefaults {
  slug: string
  name: string
  tagline?: string | undefined
  locale: string
  time_zone: string
  currency: string
  contact_email?: string | undefined
  support_url?: string | undefined
}

/** The school's row id. Makes the row from the configured defaults the first time; afterwards the school's staff own it. */
export async function ensureSchool(sql: Handle, school: SchoolDefaults): Promise<string> {
  const existing = await findSchoolId(sql, school.slug)
  if (existing) return existing
  await rawSql(sql).query(
    `INSERT INTO school (id, slug, name, tagline, locale, supported_locales, time_zone, currency, contact_email, support_url)
     VALUES ($1, $2, $3, $4, $5, ARRAY[$5]::text[], $6, $7, $8, $9) ON CONFLICT (slug) DO NOTHING`,
    [
      newId(),
      school.slug,
      school.name,
      school.tagline ?? null,
      school.locale,
      school.time_zone,
      school.currency,
      school.contact_email ?? null,
      school.support_url ?? null,
    ],
  )
  return (await findSchoolId(sql, school.slug)) as string
}

export interface SchoolRow {
  id: string
  slug: string
  name: string
  status: string
  created_at: Date
}

/** Every school that has a row, by slug. */
export function listSchools(sql: Handle): Promise<SchoolRow[]> {
  return rawSql(sql).query<SchoolRow>('SELECT id, slug, name, status, created_at FROM school ORDER BY slug')
}

/** The id of a school's row, or undefined where it has none yet. */
export async function findSchoolId(sql: Handle, slug: string): Promise<string | undefined> {
  return (await rawSql(sql).query<{ id: string }>('SELECT id FROM school WHERE slug = $1', [slug]))[0]?.id
}

/** The name that people see, and the school's main language. */
export async function schoolFace(sql: Handle, schoolId: string): Promise<{ name: string; locale: string }> {
  const rows = await rawSql(sql).query<{ name: string; locale: string }>(
    'SELECT name, locale FROM school WHERE id = $1',
    [schoolId],
    'school_face',
  )
  return rows[0] ?? { name: 'School', locale: '' }
}

/** How the school calls itself, and where it can be reached. */
export async function schoolContact(
  sql: Handle,
  schoolId: string,
): Promise<{ name: string; contactEmail: string | null; supportUrl: string | null }> {
  const [row] = await rawSql(sql).query<{ name: string; contact_email: string | null; support_url: string | null }>(
    'SELECT name, contact_email, support_url FROM school WHERE id = $1',
    [schoolId],
    'school_contact',
  )
  return { name: row?.name ?? 'School', contactEmail: row?.contact_email ?? null, supportUrl: row?.support_url ?? null }
}
