import { sitePath } from '../../engine/sitePaths.ts'
import { type LegalAddresses, type LegalDocuments, legalKinds } from './legalDocuments.ts'

/**
 * Returns the addresses at which people read the legal documents of a school. Pages of the school are paths, because each origin of the
 * school serves them; they have no address if another site shows the pages of the school.
 */
export function legalAddresses(documents: LegalDocuments, hasPages: boolean): LegalAddresses {
  const addresses = legalKinds.flatMap((kind) => {
    const document = documents[kind]
    if (!document) return []
    if ('url' in document) return [[kind, document.url] as const]
    return hasPages ? [[kind, sitePath('pages', document.slug)] as const] : []
  })
  return Object.fromEntries(addresses)
}
