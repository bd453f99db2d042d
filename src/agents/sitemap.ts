import type { Operation } from '../framework/declare/operations.ts'
import { isShown, isWholeList, openNow } from './entryPoints.ts'
import { paths, type SchoolFacts } from './schoolFacts.ts'

/** The most rows of one list in its file. A file may have 50,000 URLs (sitemaps.org). */
const mostRows = 5000

const xml = (element: string, entries: readonly string[]): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<${element} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries.join('')}</${element}>\n`

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;').replaceAll("'", '&apos;')

const fileOf = (name: string): string => `/sitemap-${name}.xml`
const pagesName = 'pages-of-the-school'

/** Returns the lists whose rows have URLs that visitors can open now. */
async function listsOf(facts: SchoolFacts): Promise<Operation[]> {
  const open = await openNow(facts)
  return open.filter((one) => isWholeList(one) && one.resource.hasSlug && isShown(facts.operations, one.resource))
}

/** Renders `/sitemap.xml` (sitemaps.org): an index with one file for the documents, and one for each list of the public catalogue. */
export async function sitemapIndex(facts: SchoolFacts): Promise<string> {
  const lists = await listsOf(facts)
  const names = [pagesName, ...lists.map(({ resource }) => resource.name)]
  return xml(
    'sitemapindex',
    names.map((name) => `<sitemap><loc>${escaped(facts.issuer + fileOf(name))}</loc></sitemap>\n`),
  )
}

/** Returns the name in the path of a sitemap file; undefined for other paths. */
export const sitemapName = (path: string): string | undefined => /^\/sitemap-([a-z_-]{1,40})\.xml$/.exec(path)?.[1]

/** Renders the file of one list, or of the documents. Undefined if visitors cannot read the list. */
export async function sitemapFile(facts: SchoolFacts, name: string): Promise<string | undefined> {
  const { issuer, view } = facts
  const url = (address: string, changed?: string): string =>
    `<url><loc>${escaped(address)}</loc>${changed === undefined ? '' : `<lastmod>${escaped(changed)}</lastmod>`}</url>\n`
  if (name === pagesName) {
    const documents = [paths.home, paths.reference, paths.errors, paths.apps, paths.authMd, paths.llmsTxt, paths.pricingMd, paths.apiMd]
    return xml(
      'urlset',
      documents.map((path) => url(issuer + path)),
    )
  }
  const list = (await listsOf(facts)).find(({ resource }) => resource.name === name)
  if (!list) return undefined
  const { rows } = await view.list(list, { fields: 'slug,updated_at' }, mostRows)
  return xml(
    'urlset',
    rows.map(({ slug, updated_at: changed }) =>
      url(`${issuer}${list.path}/${encodeURIComponent(String(slug))}`, typeof changed === 'string' ? changed : undefined),
    ),
  )
}
