import { newId } from '../../base/ids.ts'
import type { Reader, Stored, Writer } from '../connection/database.ts'
import { isAmongTexts } from '../statements/expressions.ts'
import { followLanguages } from './nameOrder.ts'

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

/** Returns the school's row id. Creates the row from the configured defaults the first time; afterwards the school's staff own it. */
export async function ensureSchool(db: Reader, school: SchoolDefaults): Promise<string> {
  const id = (await ensureSchools(db, [school])).get(school.slug)
  if (id === undefined) throw new Error(`school ${school.slug} has no row`)
  return id
}

/** Rows of one INSERT: a statement has at most 65535 parameters. */
const rowsAtOnce = 500

/** Does the same for any number of schools, in a few statements. Returns the ids by slug. */
export async function ensureSchools(db: Reader, schools: readonly SchoolDefaults[]): Promise<ReadonlyMap<string, string>> {
  const existing = await findSchoolIds(db, schools)
  const missing = schools.filter(({ slug }) => !existing.has(slug))
  if (missing.length === 0) {
    await followLanguages(db)
    return existing
  }
  for (let start = 0; start < missing.length; start += rowsAtOnce) {
    await db
      .insertInto('school')
      .values(missing.slice(start, start + rowsAtOnce).map(firstRow))
      .onConflict((conflict) => conflict.column('slug').doNothing())
      .execute()
  }
  await followLanguages(db)
  return await findSchoolIds(db, schools)
}

async function findSchoolIds(db: Reader, schools: readonly SchoolDefaults[]): Promise<Map<string, string>> {
  const slugs = schools.map(({ slug }) => slug)
  const rows = await db
    .selectFrom('school')
    .select(['id', 'slug'])
    .where(({ ref }) => isAmongTexts(ref('slug'), slugs))
    .execute()
  return new Map(rows.map(({ id, slug }) => [slug, id]))
}

const firstRow = ({ slug, name, tagline, locale, time_zone, currency, contact_email, support_url }: SchoolDefaults) => ({
  id: newId(),
  slug,
  name,
  tagline: tagline ?? null,
  locale,
  supported_locales: [locale],
  time_zone,
  currency,
  contact_email: contact_email ?? null,
  support_url: support_url ?? null,
})

export type SchoolRow = Stored<'school', 'id' | 'slug' | 'name' | 'status' | 'created_at'>

export function listSchools(db: Reader): Promise<SchoolRow[]> {
  return db.selectFrom('school').select(['id', 'slug', 'name', 'status', 'created_at']).orderBy('slug').execute()
}

export async function findSchoolId(db: Reader, slug: string): Promise<string | undefined> {
  return (await db.selectFrom('school').select('id').where('slug', '=', slug).executeTakeFirst())?.id
}

/** Returns the displayed name and the school's main language. */
export async function schoolBranding(db: Reader, schoolId: string): Promise<{ name: string; locale: string }> {
  const row = await db.selectFrom('school').select(['name', 'locale']).where('id', '=', schoolId).executeTakeFirst()
  return row ?? { name: 'School', locale: '' }
}

export async function schoolTimeZone(db: Reader, schoolId: string): Promise<string> {
  const row = await db.selectFrom('school').select('time_zone').where('id', '=', schoolId).executeTakeFirst()
  return row?.time_zone ?? 'UTC'
}

export async function schoolContact(
  db: Reader,
  schoolId: string,
): Promise<{ name: string; contactEmail: string | null; supportUrl: string | null }> {
  const row = await db.selectFrom('school').select(['name', 'contact_email', 'support_url']).where('id', '=', schoolId).executeTakeFirst()
  return { name: row?.name ?? 'School', contactEmail: row?.contact_email ?? null, supportUrl: row?.support_url ?? null }
}

/** Locks the row of a school until the transaction ends. Rows of the school can be added meanwhile: foreign keys lock its key alone. */
export async function lockSchool(writer: Writer, schoolId: string): Promise<void> {
  await writer.selectFrom('school').select('id').where('id', '=', schoolId).forNoKeyUpdate().execute()
}
