import type { Operation } from '../framework/declare/operations.ts'
import { Problem } from '../lib/problem.ts'
import { isLinkable } from '../lib/webUrl.ts'
import { sitePath } from '../resources/sitePaths.ts'
import { schoolAbout } from './schoolAbout.ts'
import type { SchoolFacts } from './schoolFacts.ts'

/** URLs of the school's privacy policy and terms; undefined if a document does not exist. */
export interface LegalLinks {
  privacy?: string
  terms?: string
}

type Facts = Pick<SchoolFacts, 'issuer' | 'operations' | 'view' | 'hasPages'>

/** Returns the addresses that the school set, else those of its published pages `legal/privacy` and `legal/terms`. */
export async function legalLinks(facts: Facts): Promise<LegalLinks> {
  const { legal } = await schoolAbout(facts)
  const [privacy, terms] = await Promise.all([
    linkable(legal?.privacy_url) ?? publishedPage(facts, 'legal/privacy'),
    linkable(legal?.terms_url) ?? publishedPage(facts, 'legal/terms'),
  ])
  return { ...(privacy && { privacy }), ...(terms && { terms }) }
}

const linkable = (address: string | null | undefined): string | undefined => (address && isLinkable(address) ? address : undefined)

/** Returns the URL of a page for people. Without public pages, it is that of the page in the API. */
async function publishedPage({ issuer, operations, view, hasPages }: Facts, slug: string): Promise<string | undefined> {
  const show = operations.find(isShowPage)
  if (!show) return undefined
  try {
    await view.show(show, { id_or_slug: slug })
    return issuer + (hasPages ? sitePath('pages', slug) : show.path.replace('{id_or_slug}', encodeURIComponent(slug)))
  } catch (error) {
    if (error instanceof Problem && (error.status === 404 || error.status === 403)) return undefined
    throw error
  }
}

const isShowPage = ({ kind, resource }: Operation): boolean => kind === 'get' && resource.name === 'pages'
