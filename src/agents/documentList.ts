import type { Operation } from '../engine/declare/operations.ts'
import { feedPath } from '../engine/sitePaths.ts'
import { apiDocumentPaths, placeOfIssuer } from './api/resourcePaths.ts'
import { authMd } from './authMd.ts'
import { discoveryLinks } from './discoveryLinks.ts'
import { begins, openNow } from './entryPoints.ts'
import { llmsFullTxt } from './llmsFullTxt.ts'
import { llmsTxt } from './llmsTxt.ts'
import { pricingMd } from './pricingMd.ts'
import { schoolAbout } from './schoolAbout.ts'
import { paths, type SchoolFacts } from './schoolFacts.ts'
import { postsFeed } from './site/postsFeed.ts'
import { sitemapFile, sitemapIndex, sitemapName } from './sitemap.ts'
import { getAToken } from './skill.ts'
import { skillFile, skillIndex, skillPaths } from './skillFiles.ts'

/** The text of a document, and when its content last changed, if that is known. */
export type DocumentText = string | { text: string; changedAt: Date | undefined }

export interface AgentDocument {
  type: string
  make(facts: SchoolFacts): DocumentText | undefined | Promise<DocumentText | undefined>
  links?(facts: SchoolFacts): string
  /** How long the text is kept for a school. 0 if it is quickly built from a text that all schools share. */
  keptMilliseconds: number
}

export interface DocumentList {
  /** The path of every document, except the parts of the sitemap. */
  paths: readonly string[]
  find(path: string): AgentDocument | undefined
  /** Returns the document for a path that has several media types, if the client accepts one of these better than the page. */
  negotiated(path: string): { types: readonly string[]; documentAs(type: string): AgentDocument | undefined } | undefined
}

/** How long a document is served without reading the school's data again. Caches get a longer time; they revalidate by ETag. */
export const keptMilliseconds = 5000
const sitemapMilliseconds = 60_000

export const markdownType = 'text/markdown; charset=utf-8'
const textType = 'text/plain; charset=utf-8'
const feedType = 'application/atom+xml; charset=utf-8'
const xmlType = 'application/xml; charset=utf-8'

export interface DocumentListArguments {
  apiPath: string
  operations: readonly Operation[]
  /** Returns the text of a document about the operations, with `placeOfIssuer` in place of the issuer. */
  apiText(path: string): string
}

export function createDocumentList({ apiPath, operations, apiText }: DocumentListArguments): DocumentList {
  const textFor = ({ issuer }: SchoolFacts, path: string): string => apiText(path).replaceAll(placeOfIssuer, issuer)
  const links = ({ issuer }: SchoolFacts): string => discoveryLinks(issuer)
  const home = { links, keptMilliseconds }
  const index: AgentDocument = { ...home, type: textType, make: llmsTxt }
  const byPath = new Map<string, AgentDocument>([
    [paths.authMd, { type: markdownType, make: authMd, keptMilliseconds }],
    [paths.pricingMd, { type: markdownType, make: pricingMd, keptMilliseconds }],
    [paths.llmsTxt, { type: textType, make: llmsTxt, keptMilliseconds }],
    [
      paths.llmsFullTxt,
      {
        type: textType,
        make: (facts) => llmsFullTxt(facts, (path) => textFor(facts, path)),
        keptMilliseconds,
      },
    ],
    [paths.apiCatalog, { type: linksetType, make: apiCatalog, links: catalogLinks, keptMilliseconds }],
    [apiPath, { type: 'application/json', make: apiIndex, links, keptMilliseconds }],
    [paths.robotsTxt, { type: textType, make: robotsTxt, keptMilliseconds }],
    [paths.securityTxt, { type: textType, make: securityTxt, keptMilliseconds }],
    [paths.sitemap, { type: xmlType, make: sitemapIndex, keptMilliseconds: sitemapMilliseconds }],
    [feedPath, { type: feedType, make: postsFeed, keptMilliseconds }],
    // Where scanners and earlier clients look for the index, and for the skill with which everything begins.
    ...[paths.skills, '/.well-known/skills/index.json'].map((path): [string, AgentDocument] => [
      path,
      { type: 'application/json', make: skillIndex, keptMilliseconds },
    ]),
    ['/skill.md', { type: markdownType, make: (facts) => skillFile(getAToken, facts), keptMilliseconds }],
    ...[...skillPaths].map(([path, skill]): [string, AgentDocument] => [
      path,
      { type: markdownType, make: (facts) => skillFile(skill, facts), keptMilliseconds },
    ]),
    ...apiDocumentPaths(operations).map((path): [string, AgentDocument] => [
      path,
      { type: markdownType, make: (facts) => textFor(facts, path), keptMilliseconds: 0 },
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

/** Renders the index at the path of the API: the resources, which of them visitors can read, and where they are described. */
async function apiIndex(facts: SchoolFacts): Promise<string> {
  const { issuer, operations } = facts
  const open = new Set(await openNow(facts))
  const resources = begins(operations).map((operation) => ({
    name: operation.resource.name,
    about: operation.resource.about,
    url: issuer + operation.path,
    anonymous: open.has(operation),
    scope: operation.scope,
  }))
  return JSON.stringify({ documentation: issuer + paths.authMd, description: issuer + paths.openApi, resources })
}

/** Renders `/` as JSON: the addresses from which a program finds everything else. */
async function homeIndex(facts: SchoolFacts): Promise<string> {
  const { issuer, apiPath, isServed } = facts
  const [{ name, tagline }, hasMcp] = await Promise.all([schoolAbout(facts), isServed(paths.mcp)])
  return JSON.stringify({
    name,
    tagline,
    api: issuer + apiPath,
    ...(hasMcp && { mcp: issuer + paths.mcp }),
    documents: {
      get_a_token: issuer + paths.authMd,
      index: issuer + paths.llmsTxt,
      skills: issuer + paths.skills,
      apps: issuer + paths.appsMd,
      api_map: issuer + paths.apiMd,
      openapi: issuer + paths.openApi,
      errors: issuer + paths.errorsMd,
      pricing: issuer + paths.pricingMd,
      api_catalog: issuer + paths.apiCatalog,
      ...(hasMcp && { mcp_server_card: issuer + paths.serverCard, ai_catalog: issuer + paths.aiCatalog }),
      protected_resource: issuer + paths.protectedResource,
      authorization_server: issuer + paths.authorizationServer,
    },
  })
}

const dayMs = 86_400_000

/**
 * Renders `/robots.txt` (RFC 9309) with content signals (contentsignals.org): the public documents may be searched and used as the input of
 * a model, and not to train one: the texts of a school are the work of its lecturers.
 */
function robotsTxt({ issuer }: Pick<SchoolFacts, 'issuer'>): string {
  return [
    'User-agent: *',
    'Content-Signal: search=yes, ai-input=yes, ai-train=no',
    'Allow: /',
    'Disallow: /account',
    'Disallow: /oauth',
    'Disallow: /api/oauth',
    '',
    `Sitemap: ${issuer}${paths.sitemap}`,
    '',
  ].join('\n')
}

/**
 * Renders `/.well-known/security.txt` (RFC 9116) with the contact of the configuration, else that of the school. Undefined without one:
 * the file must have a contact.
 */
async function securityTxt(facts: SchoolFacts): Promise<string | undefined> {
  const contact = facts.securityContact ?? (await contactOf(facts))
  if (contact === undefined) return undefined
  const expires = new Date(Math.floor(Date.now() / dayMs) * dayMs + 180 * dayMs).toISOString()
  return `Contact: ${contact}\nExpires: ${expires}\nCanonical: ${facts.issuer}${paths.securityTxt}\n`
}

async function contactOf(facts: SchoolFacts): Promise<string | undefined> {
  const { contact_email: email, support_url: url } = await schoolAbout(facts)
  // A line break in a value of the school would begin another field.
  const isOneLine = (text: string): boolean => !/[\s\p{Cc}\p{Zl}\p{Zp}]/u.test(text)
  if (email && isOneLine(email)) return `mailto:${encodeURI(email)}`
  return url?.startsWith('https://') && isOneLine(url) ? url : undefined
}

/** Media type of `/.well-known/api-catalog` (RFC 9727 section 4.2). */
const linksetType = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'

interface Target {
  href: string
  type: string
}

/** `/.well-known/api-catalog` (RFC 9727): the interfaces of this origin, and what describes each (RFC 8631). */
async function apiCatalog({ issuer, apiPath, isServed }: SchoolFacts): Promise<string> {
  const at = (path: string, type: string): Target => ({ href: issuer + path, type })
  const json = 'application/json'
  const authMd = at(paths.authMd, 'text/markdown')
  const meta = (suffix: string): Target[] => [
    at(paths.protectedResource + suffix, json),
    at(paths.authorizationServer, json),
    at(paths.openidConfiguration, json),
  ]
  const mcp = {
    anchor: issuer + paths.mcp,
    'service-desc': [at(paths.serverCard, 'application/mcp-server-card+json')],
    'service-doc': [at(paths.appsMd, 'text/markdown')],
    'service-meta': [...meta('/mcp'), at(paths.aiCatalog, 'application/ai-catalog+json')],
  }
  const interfaces = [
    {
      anchor: issuer + apiPath,
      'service-desc': [at(paths.openApi, json)],
      'service-doc': [authMd, at(paths.llmsTxt, 'text/plain'), at(paths.apiMd, 'text/markdown'), at(paths.pricingMd, 'text/markdown')],
      'service-meta': meta(''),
    },
    ...((await isServed(paths.mcp)) ? [mcp] : []),
  ]
  const own = { anchor: issuer + paths.apiCatalog, item: interfaces.map(({ anchor }) => ({ href: anchor })) }
  return JSON.stringify({ linkset: [own, ...interfaces] })
}

/** Link header of a HEAD response (RFC 9727 section 2): the catalogue and the address of the API. */
const catalogLinks = ({ issuer, apiPath }: Pick<SchoolFacts, 'issuer' | 'apiPath'>): string =>
  `<${issuer}${paths.apiCatalog}>; rel="api-catalog", <${issuer}${apiPath}>; rel="item"`
