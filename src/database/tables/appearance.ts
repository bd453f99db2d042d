import { jsonBuildObject } from 'kysely/helpers/postgres'
import type { Reader, SchoolReader, Stored } from '../connection/database.ts'
import type { StatementCache } from '../connection/statementCache.ts'
import { withMarker } from '../school/inSchool.ts'
import { type Builder, type Condition, isAmong } from '../statements/expressions.ts'

export interface LookRow extends Stored<'appearance', 'theme' | 'mode' | 'corner_radius'> {
  colors: object
  fonts: object
}

/** Rows of one INSERT: a statement has at most 65535 parameters. */
const rowsAtOnce = 500

/** Creates the rows of schools' looks the first time. Afterwards the schools' staff own them. */
export async function ensureAppearances(db: Reader, looks: readonly { schoolId: string; look: LookRow }[]): Promise<void> {
  const existing = await db
    .selectFrom('appearance')
    .select('school_id')
    .where(({ ref }) =>
      isAmong(
        ref('school_id'),
        looks.map(({ schoolId }) => schoolId),
      ),
    )
    .execute()
  const known = new Set(existing.map(({ school_id }) => school_id))
  const missing = looks.filter(({ schoolId }) => !known.has(schoolId))
  for (let start = 0; start < missing.length; start += rowsAtOnce) {
    await db
      .insertInto('appearance')
      .values(missing.slice(start, start + rowsAtOnce).map(firstRow))
      .onConflict((conflict) => conflict.column('school_id').doNothing())
      .execute()
  }
}

const firstRow = ({ schoolId, look }: { schoolId: string; look: LookRow }) => ({
  school_id: schoolId,
  id: schoolId,
  theme: look.theme,
  mode: look.mode,
  colors: JSON.stringify(look.colors),
  fonts: JSON.stringify(look.fonts),
  corner_radius: look.corner_radius,
})

/** A logo as it is stored: a file that anybody may see, and what can be seen on it. */
export type LogoRow = Stored<'file', 'id' | 'filename' | 'alt' | 'width' | 'height'>

const selectLogo = ({ selectFrom }: Builder<'appearance'>, name: 'logo' | 'logo_dark') =>
  selectFrom('file')
    .select(({ ref }) =>
      jsonBuildObject({
        id: ref('file.id'),
        filename: ref('file.filename'),
        alt: ref(`appearance.${name}_alt`),
        width: ref('file.width'),
        height: ref('file.height'),
      }).as('image'),
    )
    .whereRef('file.school_id', '=', 'appearance.school_id')
    .whereRef('file.id', '=', `appearance.${name}_file_id`)
    .where('file.status', '=', 'ready')
    .where('file.visibility', '=', 'public')

export interface AppearanceRow extends LookRow {
  logo: LogoRow | null
  logo_dark: LogoRow | null
}

export interface BrandingRow extends Stored<'school', 'name' | 'time_zone' | 'registration' | 'contact_email' | 'support_url'> {
  /** The main language of the school (BCP 47). */
  locale: string
  legal: { privacy_url?: string | null; terms_url?: string | null; imprint_page_id?: string | null } | null
  /** Which of the requested slugs belong to pages that visitors can open; null for none. */
  legal_slugs: string[] | null
  /** Null if the school has no row of `appearance` yet. */
  looks: AppearanceRow | null
}

/** The pages of legal documents: their slugs, and the condition under which visitors can open a page. */
export interface LegalPages {
  slugs: readonly string[]
  isOpen(page: Builder<'page'>): Condition
}

export async function findBranding(
  db: SchoolReader,
  schoolId: string,
  { statements, ...pages }: LegalPages & { statements: StatementCache },
): Promise<BrandingRow | undefined> {
  const statement = statements.compile('branding', { schoolId }, ({ schoolId: id }) =>
    brandingOf(withMarker(db, String(id)), String(id), pages),
  )
  return (await db.executeQuery<BrandingRow>(statement)).rows[0]
}

function brandingOf(db: Reader, schoolId: string, { slugs, isOpen }: LegalPages) {
  return db
    .selectFrom('school')
    .select([
      'school.name',
      'school.locale',
      'school.time_zone',
      'school.registration',
      'school.legal',
      'school.contact_email',
      'school.support_url',
    ])
    .select(({ selectFrom }) =>
      selectFrom('appearance')
        .select((row) =>
          jsonBuildObject({
            theme: row.ref('appearance.theme'),
            mode: row.ref('appearance.mode'),
            colors: row.ref('appearance.colors'),
            fonts: row.ref('appearance.fonts'),
            corner_radius: row.ref('appearance.corner_radius'),
            logo: selectLogo(row, 'logo'),
            logo_dark: selectLogo(row, 'logo_dark'),
          }).as('row'),
        )
        .whereRef('appearance.school_id', '=', 'school.id')
        .as('looks'),
    )
    .select(({ selectFrom }) =>
      selectFrom('page')
        .select(({ fn, ref }) => fn.jsonAgg(ref('page.slug')).as('slugs'))
        .whereRef('page.school_id', '=', 'school.id')
        .where('page.slug', 'in', [...slugs])
        .where(isOpen)
        .as('legal_slugs'),
    )
    .where('school.id', '=', schoolId)
    .$castTo<BrandingRow>()
}

export async function findCustomCss(db: Reader, schoolId: string): Promise<string> {
  const row = await db.selectFrom('appearance').select('custom_css').where('school_id', '=', schoolId).executeTakeFirst()
  return row?.custom_css ?? ''
}
