import { everyRow } from '../base/text/pageOfRows.ts'
import { xmlText } from '../base/text/xmlText.ts'
import type { Operation } from '../engine/declare/operations.ts'
import { type SiteKind, siteKinds, sitePath, siteResources } from '../engine/sitePaths.ts'
import type { Post } from '../school/apiRows.ts'
import { isWholeList, openNow } from './entryPoints.ts'
import { paths, type SchoolFacts } from './schoolFacts.ts'

/** The most rows of one file: 2.5 MB at most. A file may have 50,000 URLs (sitemaps.org). */
const fileRows = 10_000
const maxFiles = 5
const pageRows = 100

const xml = (element: string, entries: readonly string[]): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<${element} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries.join('')}</${element}>\n`

const fileOf = (name: string): string => `/sitemap-${name}.xml`
const documentsName = 'documents'

const url = (address: string, changed?: string): string =>
  `<url><loc>${xmlText(address)}</loc>${changed === undefined ? '' : `<lastmod>${xmlText(changed)}</lastmod>`}</url>\n`

/** A row of any kind of public page. */
type PageRow = Pick<Post, 'slug' | 'updated_at'> & Partial<Pick<Post, 'seo'>>

interface PageList {
  kind: SiteKind
  list: Operation
}

/** Returns the kinds of public pages that visitors can open; `open` are the operations that are open to them. */
export function pageLists({ hasPages }: Pick<SchoolFacts, 'hasPages'>, open: readonly Operation[]): PageList[] {
  if (!hasPages) return []
  return siteKinds.flatMap((kind) => {
    const list = open.find((one) => isWholeList(one) && one.resource.name === siteResources[kind])
    return list ? [{ kind, list }] : []
  })
}

const openKinds = async (facts: SchoolFacts): Promise<PageList[]> => (facts.hasPages ? pageLists(facts, await openNow(facts)) : [])

async function* rowsOf({ view }: SchoolFacts, list: Operation): AsyncGenerator<PageRow> {
  const fields = 'seo' in list.resource.schemas.public.shape ? 'slug,updated_at,seo' : 'slug,updated_at'
  yield* everyRow((cursor) => view.page<PageRow>(list, { fields, limit: String(pageRows), ...(cursor !== undefined && { cursor }) }))
}

/**
 * Returns the URLs of the file with this number, from 1; undefined if no row is in it. The first file also has the URL of the list, except
 * for the school's own pages, whose list has nothing that the menus do not have. Pages that search engines should not list are left out.
 */
async function urlsOf(facts: SchoolFacts, { kind, list }: PageList, file: number): Promise<string[] | undefined> {
  const urls: string[] = kind === 'pages' || file > 1 ? [] : [url(facts.issuer + sitePath(kind))]
  const [start, end] = [(file - 1) * fileRows, file * fileRows]
  let position = 0
  for await (const { slug, updated_at: changed, seo } of rowsOf(facts, list)) {
    if (position >= start && !seo?.noindex) urls.push(url(facts.issuer + sitePath(kind, slug), changed))
    position += 1
    if (position === end) break
  }
  return file === 1 || position > start ? urls : undefined
}

/** Returns the names of the files of one kind. A kind without rows has a file with its list, if it has a list. */
async function filesOf({ view }: SchoolFacts, { kind, list }: PageList): Promise<string[]> {
  const rows = await view.count(list, fileRows * maxFiles)
  const files = Math.max(kind === 'pages' ? 0 : 1, Math.ceil(rows / fileRows))
  return Array.from({ length: files }, (_, index) => (index === 0 ? kind : `${kind}-${index + 1}`))
}

/**
 * Renders `/sitemap.xml` (sitemaps.org): an index with a file for the documents, and the files of each kind of public pages. It counts the
 * rows and does not read them.
 */
export async function sitemapIndex(facts: SchoolFacts): Promise<string> {
  const kinds = await openKinds(facts)
  const files = await Promise.all(kinds.map((one) => filesOf(facts, one)))
  const names = [documentsName, ...files.flat()]
  return xml(
    'sitemapindex',
    names.map((name) => `<sitemap><loc>${xmlText(facts.issuer + fileOf(name))}</loc></sitemap>\n`),
  )
}

export const sitemapName = (path: string): string | undefined => /^\/sitemap-([a-z]{1,20}(?:-[2-5])?)\.xml$/.exec(path)?.[1]

export async function sitemapFile(facts: SchoolFacts, name: string): Promise<string | undefined> {
  const { issuer } = facts
  if (name === documentsName) {
    const documents = [paths.home, paths.reference, paths.errors, paths.apps, paths.authMd, paths.llmsTxt, paths.pricingMd, paths.apiMd]
    return xml(
      'urlset',
      documents.map((path) => url(issuer + path)),
    )
  }
  const [kind, number = '1'] = name.split('-')
  const found = (await openKinds(facts)).find((one) => one.kind === kind)
  if (!found) return undefined
  const urls = await urlsOf(facts, found, Number(number))
  return urls && xml('urlset', urls)
}
