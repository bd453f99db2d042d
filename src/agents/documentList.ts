import type { Operation } from '../framework/declare/operations.ts'
import { feedPath } from '../resources/sitePaths.ts'
import { createApiDocuments } from './api/apiDocuments.ts'
import { apiCatalog, catalogLinks, linksetType } from './apiCatalog.ts'
import { apiIndex } from './apiIndex.ts'
import { authMd } from './authMd.ts'
import { discoveryLinks } from './discoveryLinks.ts'
import { homeIndex } from './homeIndex.ts'
import { llmsTxt } from './llmsTxt.ts'
import { pricingMd } from './pricingMd.ts'
import { paths, type SchoolFacts } from './schoolFacts.ts'
import { postsFeed } from './site/postsFeed.ts'
import { robotsTxt, securityTxt } from './siteFiles.ts'
import { sitemapFile, sitemapIndex, sitemapName } from './sitemap.ts'
import { skillFile, skillIndex, skillPaths } from './skillFiles.ts'

/** The text of a document, and when its content last changed, if that is known. */
export type DocumentText = string | { text: string; changedAt: Date | undefined }

/** A document of a school. */
export interface AgentDocument {
  type: string
  /** Returns the text; undefined if the school does not have the document. */
  make(facts: SchoolFacts): DocumentText | undefined | Promise<DocumentText | undefined>
  /** Value of the Link header. */
  links?(facts: SchoolFacts): string
  /** How long the text is kept for a school. 0 if it is quickly built from a text that all schools share. */
  keptMilliseconds: number
}

export interface DocumentList {
  /** The path of every document, except the parts of the sitemap. */
  paths: readonly string[]
  /** Returns the document at a path. */
  find(path: string): AgentDocument | undefined
  /** Returns the document for a path that has several media types, if the client accepts one of these better than the page. */
  negotiated(path: string): { types: readonly string[]; documentAs(type: string): AgentDocument | undefined } | undefined
}

/** How long a document is served without reading the school's data again. Caches get a longer time; they revalidate by ETag. */
export const keptMilliseconds = 5000
const sitemapMilliseconds = 60_000

const markdownType = 'text/markdown; charset=utf-8'
const textType = 'text/plain; charset=utf-8'
const feedType = 'application/atom+xml; charset=utf-8'
const xmlType = 'application/xml; charset=utf-8'

/** Lists the documents. `apiPath` is the path of the API. */
export function createDocumentList(apiPath: string, operations: readonly Operation[]): DocumentList {
  const apiDocuments = createApiDocuments(operations)
  const links = ({ issuer }: SchoolFacts): string => discoveryLinks(issuer)
  const home = { links, keptMilliseconds }
  const index: AgentDocument = { ...home, type: textType, make: llmsTxt }
  const byPath = new Map<string, AgentDocument>([
    [paths.authMd, { type: markdownType, make: authMd, keptMilliseconds }],
    [paths.pricingMd, { type: markdownType, make: pricingMd, keptMilliseconds }],
    [paths.llmsTxt, { type: textType, make: llmsTxt, keptMilliseconds }],
    [paths.apiCatalog, { type: linksetType, make: apiCatalog, links: catalogLinks, keptMilliseconds }],
    [apiPath, { type: 'application/json', make: apiIndex, links, keptMilliseconds }],
    [paths.robotsTxt, { type: textType, make: robotsTxt, keptMilliseconds }],
    [paths.securityTxt, { type: textType, make: securityTxt, keptMilliseconds }],
    [paths.sitemap, { type: xmlType, make: sitemapIndex, keptMilliseconds: sitemapMilliseconds }],
    [feedPath, { type: feedType, make: postsFeed, keptMilliseconds }],
    [paths.skills, { type: 'application/json', make: skillIndex, keptMilliseconds }],
    ...[...skillPaths].map(([path, skill]): [string, AgentDocument] => [
      path,
      { type: markdownType, make: (facts) => skillFile(skill, facts), keptMilliseconds },
    ]),
    ...apiDocuments.paths.map((path): [string, AgentDocument] => [
      path,
      { type: markdownType, make: ({ issuer }) => apiDocuments.textOf(path, issuer), keptMilliseconds: 0 },
    ]),
  ])
  const markdownOf = (path: string) => {
    const document = byPath.get(path)
    return { types: ['text/html', 'text/markdown'], documentAs: (type: string) => (type === 'text/markdown' ? document : undefined) }
  }
  const byType = new Map([
    ['text/markdown', { ...index, type: markdownType }],
    ['application/json', { ...home, type: 'application/json', make: homeIndex }],
    ['text/plain', index],
  ])
  const negotiated = new Map<string, ReturnType<DocumentList['negotiated']>>([
    // Programs that accept anything get Markdown; browsers name HTML.
    [
      paths.home,
      { types: ['text/markdown', 'text/html', 'application/json', 'text/plain'], documentAs: (type: string) => byType.get(type) },
    ],
    [paths.reference, markdownOf(paths.apiMd)],
    [paths.errors, markdownOf(paths.errorsMd)],
  ])
  return {
    paths: [...byPath.keys()],
    find(path) {
      const name = sitemapName(path)
      if (name === undefined) return byPath.get(path)
      return { type: xmlType, make: (facts) => sitemapFile(facts, name), keptMilliseconds: sitemapMilliseconds }
    },
    negotiated: (path) => negotiated.get(path),
  }
}
