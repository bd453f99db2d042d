import type { Operation } from '../engine/declare/operations.ts'
import { sitePath } from '../engine/sitePaths.ts'
import type { LegalDocument } from '../school/settings/legalDocuments.ts'
import type { SchoolFacts } from './schoolFacts.ts'

/** URLs of the school's privacy policy and terms; undefined if a document does not exist. */
export interface LegalLinks {
  privacy?: string
  terms?: string
}

type Facts = Pick<SchoolFacts, 'issuer' | 'operations' | 'legal' | 'hasPages'>

/** Returns the URLs of the legal documents. Without public pages, a page of the school has its URL in the API. */
export async function legalLinks(facts: Facts): Promise<LegalLinks> {
  const documents = await facts.legal()
  const [privacy, terms] = [documents.privacy, documents.terms].map((document) => document && urlOf(document, facts))
  return { ...(privacy && { privacy }), ...(terms && { terms }) }
}

function urlOf(document: LegalDocument, { issuer, operations, hasPages }: Facts): string | undefined {
  if ('url' in document) return document.url
  if (hasPages) return issuer + sitePath('pages', document.slug)
  const show = operations.find(isShowPage)
  return show && issuer + show.path.replace('{id_or_slug}', encodeURIComponent(document.slug))
}

const isShowPage = ({ kind, resource }: Operation): boolean => kind === 'get' && resource.name === 'pages'
