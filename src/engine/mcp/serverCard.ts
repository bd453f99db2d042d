import type { Context } from 'koa'
import { type StoredDocument, serveDocument, storeDocument } from '../../base/http/document.ts'
import { allowMethods } from '../../base/http/methods.ts'
import type { School } from '../../base/school.ts'
import { revisions } from './revisions.ts'

const cardType = 'application/mcp-server-card+json'
const maxAgeSeconds = 3600
const longestTitle = 100

/** The version of the tools and their results, in the card and in the handshake. */
export const catalogueVersion = '1.0.0'

type Make = (school: School, schoolName: string) => unknown

/**
 * The documents by which programs find the server before they connect: its card (SEP-2127), also where scanners look for it, and the
 * catalogues of the domain, in the form of MCP and in the form of AI Catalog, which follows it.
 */
const documents: ReadonlyMap<string, { type: string; make: Make }> = new Map([
  ['/mcp/server-card', { type: cardType, make: card }],
  ['/.well-known/mcp/server-card.json', { type: cardType, make: card }],
  ['/.well-known/mcp.json', { type: 'application/json', make: card }],
  ['/.well-known/mcp', { type: 'application/json', make: card }],
  ['/.well-known/mcp/catalog.json', { type: 'application/json', make: catalogueOf('draft') }],
  ['/.well-known/ai-catalog.json', { type: 'application/ai-catalog+json', make: catalogueOf('1.0') }],
])

export async function serveServerCard(ctx: Context, schoolName: () => Promise<string>): Promise<boolean> {
  const document = documents.get(ctx.path)
  if (!document) return false
  if (allowMethods(ctx, ['GET', 'HEAD']) === 'answered') return true
  const { school } = ctx.state
  const text = `${JSON.stringify(document.make(school, titleOf(await schoolName())))}\n`
  const stored: StoredDocument = storeDocument(text, { type: document.type, maxAgeSeconds })
  serveDocument(ctx, stored)
  return true
}

const titleOf = (name: string): string => name.replaceAll(/\s+/g, ' ').trim().slice(0, longestTitle).toWellFormed() || 'School'

function card(school: School, title: string): unknown {
  return described(school, { schema: 'v1/server-card', title, remote: { supportedProtocolVersions: revisions } })
}

/** Returns the file with which an operator lists the server in the registry of MCP servers (`server.json`). */
export const registryFile = (school: School, name: string): unknown =>
  described(school, { schema: '2025-12-11/server', title: titleOf(name), remote: {} })

const described = ({ issuer }: School, { schema, title, remote }: { schema: string; title: string; remote: object }): unknown => ({
  $schema: `https://static.modelcontextprotocol.io/schemas/${schema}.schema.json`,
  name: `${reversed(hostOf(issuer))}/mcp`,
  title,
  version: catalogueVersion,
  description: 'The public catalogue of the school: courses, events, plans, posts. Read-only, without a sign-in.',
  websiteUrl: issuer,
  remotes: [{ type: 'streamable-http', url: `${issuer}/mcp`, ...remote }],
})

/** Returns a host name with its last label first, as names of servers begin. An address has no labels. */
const reversed = (host: string): string => (/^[\d.]+$/.test(host) ? host : host.split('.').toReversed().join('.'))

function catalogueOf(specVersion: string): Make {
  return ({ issuer }, displayName) => ({
    specVersion,
    entries: [{ identifier: `urn:air:${hostOf(issuer)}:mcp`, displayName, type: cardType, url: `${issuer}/mcp/server-card` }],
  })
}

/** Returns the host name. The characters of an IPv6 address are not allowed in a name. */
const hostOf = (issuer: string): string =>
  new URL(issuer).hostname.replaceAll(/[^a-zA-Z0-9.-]/g, '-').replaceAll(/^-+|-+$/g, '') || 'localhost'
