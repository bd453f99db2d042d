import type { Operation } from '../engine/declare/operations.ts'
import { feedPath, siteKinds, sitePath, siteResources } from '../engine/sitePaths.ts'
import { resourcePaths } from './api/resourcePaths.ts'
import { afterRestart } from './authSteps.ts'
import { isShown, isWholeList, openNow } from './entryPoints.ts'
import { code, document, link, Markdown, markdown } from './markdown.ts'
import { schoolAbout } from './schoolAbout.ts'
import { paths, type SchoolFacts } from './schoolFacts.ts'
import { pageLists } from './sitemap.ts'

/** Number of rows of each list in the index. The list itself is linked as well. */
const most = 10

/** Renders `/llms.txt` (llmstxt.org): one page that links to everything public. */
export async function llmsTxt(facts: SchoolFacts): Promise<string> {
  const { issuer, apiPath, docsUrl, isServed } = facts
  const open = await openNow(facts)
  const pages = pageLists(facts, open)
  const [about, hasMcp, catalogue] = await Promise.all([
    schoolAbout(facts),
    isServed(paths.mcp),
    Promise.all(open.filter(isWholeList).map((list) => rowsOf(list, facts))),
  ])
  const at = (label: string, path: string, note: string): Markdown => markdown`- ${link(label, issuer + path)}: ${note}`
  const rows = catalogue.flat()
  const resources = new Set(facts.operations.map(({ resource }) => resource))
  const docs = docsUrl === issuer + paths.authMd ? [] : [markdown`- ${link('Documentation', docsUrl)}: more for developers`]
  return document([
    markdown`# ${about.name}`,
    markdown`> ${about.tagline ?? 'An online school.'} Its API lets agents read the catalogue, and, with the consent of a person, learn, teach and run the school.`,
    markdown`Register yourself, get a person's consent, call. Without a token you are a visitor: you see public data and never get a challenge. The API is at ${code(issuer + apiPath)}.`,
    afterRestart,
    hasMcp ? markdown`An MCP server (Streamable HTTP, catalogue reads only) is at ${code(issuer + paths.mcp)}.` : undefined,
    section('Access', [
      at('auth.md', paths.authMd, 'every step from registration to revocation, with commands'),
      at('Skills', paths.skills, 'tasks that take several calls, step by step'),
      at('llms-full.txt', paths.llmsFullTxt, 'auth.md, api.md, the errors and all skills in one file'),
      at('Protected resource', paths.protectedResource, 'the authorization server, and the scopes to request (RFC 9728)'),
      at('Authorization server', paths.authorizationServer, 'endpoints and supported features (RFC 8414)'),
      at('OpenID Connect', paths.openidConfiguration, 'the same for OpenID Connect'),
    ]),
    section('The API', [
      at('api.md', paths.apiMd, 'every operation in one line, and the document of each resource'),
      at('Errors', paths.errorsMd, 'every error code and what to do'),
      at('OpenAPI', paths.openApi, 'the same for programs; /openapi/RESOURCE.json describes one resource'),
      at('API catalog', paths.apiCatalog, 'these interfaces as a linkset (RFC 9727)'),
      ...(hasMcp
        ? [
            at('MCP server card', paths.serverCard, 'address and revisions of the MCP server'),
            at('AI catalog', paths.aiCatalog, 'the MCP server as a catalogue entry'),
          ]
        : []),
      at('Apps', paths.appsMd, 'how Claude Code, ChatGPT, VS Code and others connect'),
      at('Pricing', paths.pricingMd, 'what the school sells'),
      at('Reference', paths.reference, 'the API as a page for people'),
      ...docs,
    ]),
    section(
      'Resources',
      [...resources].map((resource) => at(resource.name, resourcePaths(resource.name).document, inShort(resource.about))),
    ),
    section('Open to visitors', [inOneLine(open.map(({ path, resource }) => link(titleOf(resource.name), issuer + path)))]),
    pages.length === 0
      ? undefined
      : section('Web pages, as Markdown', [
          inOneLine([
            ...pages.map(({ kind }) => link(titleOf(kind), `${issuer}${sitePath(kind)}.md`)),
            ...(pages.some(({ kind }) => kind === 'posts') ? [link('Feed', issuer + feedPath)] : []),
          ]),
        ]),
    // Rows of the catalogue can be left out where a short text is needed (llmstxt.org).
    rows.length === 0 ? undefined : section('Optional', rows),
  ])
}

const section = (title: string, lines: readonly Markdown[]): Markdown => markdown`## ${title}\n\n${lines}`

const inOneLine = (links: readonly Markdown[]): Markdown => new Markdown(`- ${links.map(({ text }) => text).join(', ')}`)

/** Returns the first sentence, up to its first colon or semicolon: the document of the resource says the rest. */
const inShort = (about: string): string => about.replace(/(?:\. |[:;,] ).*$/s, '').replace(/\.$/, '')

const titleOf = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll('_', ' ')}`

/** Renders the first rows of a list, each with its URL; none if the rows have no URL. */
async function rowsOf(list: Operation, { issuer, operations, view, hasPages }: SchoolFacts): Promise<Markdown[]> {
  const { resource } = list
  if (!resource.hasSlug || !isShown(operations, resource)) return []
  const { rows } = await view.list<NamedRow>(list, {}, most)
  const kind = hasPages ? siteKinds.find((one) => siteResources[one] === resource.name) : undefined
  const addressOf = (slug: string): string =>
    kind ? `${issuer}${sitePath(kind, slug)}.md` : `${issuer}${list.path}/${encodeURIComponent(slug)}`
  return rows.map((row) => entry(row, addressOf, resource.object.replaceAll('_', ' ')))
}

type NamedRow = Partial<Record<'slug' | 'title' | 'name' | 'display_name' | 'subtitle' | 'tagline', string | null>>

function entry(
  { slug, title, name, display_name: displayName, subtitle, tagline }: NamedRow,
  addressOf: (slug: string) => string,
  kind: string,
): Markdown {
  const label = link(title ?? name ?? displayName ?? String(slug), addressOf(String(slug)))
  const note = subtitle ?? tagline
  return note ? markdown`- ${label}: ${kind}, ${note}` : markdown`- ${label}: ${kind}`
}
