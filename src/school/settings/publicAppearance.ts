import { fromPublicId } from '../../base/ids.ts'
import { isLinkable } from '../../base/net/webUrl.ts'
import type { SchoolReader } from '../../database/connection/database.ts'
import type { StatementCache } from '../../database/connection/statementCache.ts'
import { type BrandingRow, findBranding, findCustomCss, type LogoRow } from '../../database/tables/appearance.ts'
import { isOpenToVisitors } from '../pages/pageAccess.ts'
import type { LegalDocument, LegalDocuments } from './legalDocuments.ts'
import { type ThemeSettings, themeDefaults } from './themes.ts'

/** A logo of a school, for light or for dark backgrounds. */
export type Logo = LogoRow

export interface SchoolTheme extends ThemeSettings {
  logo: Logo | null
  logo_dark: Logo | null
}

/** Where people ask the school for help. */
export type SchoolHelp = { email: string } | { url: string }

export interface PageBranding {
  name: string
  /** The main language of the school (BCP 47). */
  locale: string
  timeZone: string
  isOpenToSignUp: boolean
  legal: LegalDocuments
  help: SchoolHelp | undefined
  theme: SchoolTheme
}

/** Returns the current branding of a school's pages, with the unchanged default theme if the school has none. */
export async function pageBranding(database: SchoolReader, statements: StatementCache): Promise<PageBranding> {
  const row = await findBranding(database, database.schoolId, { slugs: Object.values(legalSlugs), isOpen: isOpenToVisitors, statements })
  const { name = 'School', locale = '', time_zone: timeZone = 'UTC', registration, looks } = row ?? {}
  const theme = looks ? (looks as unknown as SchoolTheme) : { ...themeDefaults('studio'), logo: null, logo_dark: null }
  const legal = row ? await legalDocuments(database, row) : {}
  return { name, locale, timeZone, isOpenToSignUp: registration === 'open', theme, legal, help: row && helpOf(row) }
}

function helpOf({ contact_email: email, support_url: url }: Pick<BrandingRow, 'contact_email' | 'support_url'>): SchoolHelp | undefined {
  if (email) return { email }
  return url && isLinkable(url) ? { url } : undefined
}

/** Returns the school's own stylesheet, or an empty text. It was checked when it was saved. */
export const customCss = (database: SchoolReader): Promise<string> => findCustomCss(database, database.schoolId)

/** The slugs of the pages that are legal documents unless the school set another address or page. */
const legalSlugs = { imprint: 'legal/imprint', privacy: 'legal/privacy', terms: 'legal/terms' } as const

/** Returns the legal documents of a school: the addresses and the page that the school set, else its published pages. */
async function legalDocuments(
  database: SchoolReader,
  { legal, legal_slugs: slugs }: Pick<BrandingRow, 'legal' | 'legal_slugs'>,
): Promise<LegalDocuments> {
  const page = (slug: string): LegalDocument | undefined => (slugs?.includes(slug) ? { slug } : undefined)
  const imprintId = legal?.imprint_page_id ? fromPublicId('pag', legal.imprint_page_id) : undefined
  const imprint = (imprintId && (await openPage(database, imprintId))) || page(legalSlugs.imprint)
  const privacy = linked(legal?.privacy_url) ?? page(legalSlugs.privacy)
  const terms = linked(legal?.terms_url) ?? page(legalSlugs.terms)
  return { ...(imprint && { imprint }), ...(privacy && { privacy }), ...(terms && { terms }) }
}

const linked = (url: string | null | undefined): LegalDocument | undefined => (url && isLinkable(url) ? { url } : undefined)

const openPage = (database: SchoolReader, id: string): Promise<{ slug: string } | undefined> =>
  database.selectFrom('page').select('slug').where('id', '=', id).where(isOpenToVisitors).executeTakeFirst()
