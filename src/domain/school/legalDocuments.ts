import { fromPublicId } from '../../lib/ids.ts'
import { isLinkable } from '../../lib/webUrl.ts'
import type { LegalDocument, LegalDocuments } from '../../policy/legalDocuments.ts'
import type { BrandingRow } from '../../store/appearance.ts'
import type { Reader } from '../../store/database.ts'
import { isOpenToVisitors } from '../pages/pageAccess.ts'

/** The slugs of the pages that are legal documents unless the school set another address or page. */
export const legalSlugs = { imprint: 'legal/imprint', privacy: 'legal/privacy', terms: 'legal/terms' } as const

/** Returns the legal documents of a school: the addresses and the page that the school set, else its published pages. */
export async function legalDocuments(
  database: Reader,
  schoolId: string,
  { legal, legal_slugs: slugs }: Pick<BrandingRow, 'legal' | 'legal_slugs'>,
): Promise<LegalDocuments> {
  const page = (slug: string): LegalDocument | undefined => (slugs?.includes(slug) ? { slug } : undefined)
  const imprintId = legal?.imprint_page_id ? fromPublicId('pag', legal.imprint_page_id) : undefined
  const imprint = (imprintId && (await openPage(database, schoolId, imprintId))) || page(legalSlugs.imprint)
  const privacy = linked(legal?.privacy_url) ?? page(legalSlugs.privacy)
  const terms = linked(legal?.terms_url) ?? page(legalSlugs.terms)
  return { ...(imprint && { imprint }), ...(privacy && { privacy }), ...(terms && { terms }) }
}

const linked = (url: string | null | undefined): LegalDocument | undefined => (url && isLinkable(url) ? { url } : undefined)

const openPage = (database: Reader, schoolId: string, id: string): Promise<{ slug: string } | undefined> =>
  database
    .selectFrom('page')
    .select('slug')
    .where('school_id', '=', schoolId)
    .where('id', '=', id)
    .where(isOpenToVisitors)
    .executeTakeFirst()
