import type { Operation } from '../framework/declare/operations.ts'
import { xmlText } from '../lib/xmlText.ts'
import { sitemapRow } from '../resources/feedRows.ts'
import { type SiteKind, siteKinds, sitePath, siteResources } from '../resources/sitePaths.ts'
import { isWholeList, openNow } from './entryPoints.ts'
import { paths, type SchoolFacts } from './schoolFacts.ts'

/** The most URLs of one file: 2.5 MB at most. A file may have 50,000 (sitemaps.org). */
const mostUrls = 10_000
/** The most files of one kind of page. */
const mostFiles = 5
/** Rows that one query reads. */
const pageRows = 100

const xml = (element: string, entries: readonly string[]): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<${element} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries.join('')}</${element}>\n`

const fileOf = (name: string): string => `/sitemap-${name}.xml`
const documentsName = 'documents'

const url = (address: string, changed?: string): string =>
  `<url><loc>${xmlText(address)}</loc>${changed === undefined ? '' : `<lastmod>${xmlText(changed)}</lastmod>`}</url>\n`

/** A kind of public pages, and the list of its rows. */
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

/** Reads the rows of a list in order, a few at a time. */
async function* rowsOf({ view }: SchoolFacts, list: Operation): AsyncGenerator<ReturnType<typeof sitemapRow.parse>> {
  const fields = 'seo' in list.resource.schemas.public.shape ? 'slug,updated_at,seo' : 'slug,updated_at'
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<typeof view.page>> = await view.page(list, {
      fields,
      limit: String(pageRows),
      ...(cursor === null ? {} : { cursor }),
    })
    for (const row of page.rows) yield sitemapRow.parse(row)
    cursor = page.next
  } while (cursor !== null)
}

/** Returns the URLs of one kind, those of its list first. Pages that search engines should not list are left out. */
async function urlsOf(facts: SchoolFacts, { kind, list }: PageList, most: number): Promise<string[]> {
  // The list of the school's own pages has nothing that its menus do not have.
  const urls: string[] = kind === 'pages' ? [] : [url(facts.issuer + sitePath(kind))]
  for await (const { slug, updated_at: changed, seo } of rowsOf(facts, list)) {
    if (!seo?.noindex) urls.push(url(facts.issuer + sitePath(kind, slug), changed))
    if (urls.length >= most) break
  }
  return urls
}

/** Renders `/sitemap.xml` (sitemaps.org): an index with a file for the documents, and the files of each kind of public pages. */
export async function sitemapIndex(facts: SchoolFacts): Promise<string> {
  const kinds = await openKinds(facts)
  const files = await Promise.all(
    kinds.map(async (one) => {
      const urls = await urlsOf(facts, one, mostUrls * mostFiles)
      return Array.from({ length: Math.ceil(urls.length / mostUrls) }, (_, index) => (index === 0 ? one.kind : `${one.kind}-${index + 1}`))
    }),
  )
  const names = [documentsName, ...files.flat()]
  return xml(
    'sitemapindex',
    names.map((name) => `<sitemap><loc>${xmlText(facts.issuer + fileOf(name))}</loc></sitemap>\n`),
  )
}

/** Returns the name in the path of a sitemap file; undefined for other paths. */
export const sitemapName = (path: string): string | undefined => /^\/sitemap-([a-z]{1,20}(?:-[2-5])?)\.xml$/.exec(path)?.[1]

/** Renders one file of the sitemap. Undefined if there is no such file. */
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
  const end = Number(number) * mostUrls
  const urls = (await urlsOf(facts, found, end)).slice(end - mostUrls)
  return urls.length === 0 && number !== '1' ? undefined : xml('urlset', urls)
}
