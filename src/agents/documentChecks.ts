import type { Fetch, FetchRequest, FetchResponse } from '../base/http/inProcess.ts'
import { ownLinks } from './ownLinks.ts'
import { paths } from './schoolFacts.ts'

export interface Expected {
  issuer: string
  scopes: readonly string[]
  baselineScopes: readonly string[]
  metadataPaths: readonly string[]
  isRegistrationOpen: boolean
  /** True if only a few addresses of each folder are requested: the others differ in a row or a resource alone. */
  isBrief?: boolean
  /** Written texts that are not what `npm run generate` wrote. */
  alteredTexts?: readonly string[]
}

/** Compares one part of the documents with what the service does. Returns the contradictions. */
type DocumentCheck = (ask: Fetch, expected: Expected) => Promise<string[]>

export interface Findings {
  contradictions: string[]
  /** Requests without a response or with a server error: what they check is unknown. */
  unanswered: string[]
}

/** After this many requests without a response the check stops: it is repeated later. */
const maxUnanswered = 3

/** Requests every URL in a school's metadata and documents, one after the other, and compares the responses. */
export async function checkDocuments(ask: Fetch, expected: Expected): Promise<Findings> {
  const unanswered = new Set<string>()
  const contradictions = await each(
    [sameMetadata, everyEndpoint, keys, scopesAndResources, links, description, writtenTexts],
    (check: DocumentCheck) => check(recording(ask, unanswered), expected),
  )
  return { contradictions, unanswered: [...unanswered] }
}

class Unanswered extends Error {}

/** Repeats no GET, and records which requests got no response. */
function recording(ask: Fetch, unanswered: Set<string>): Fetch {
  const responses = new Map<string, FetchResponse>()
  return async (address, request) => {
    const known = request === undefined ? responses.get(address) : undefined
    if (known) return known
    if (unanswered.size >= maxUnanswered) throw new Unanswered()
    const { pathname } = new URL(address)
    let response: FetchResponse
    try {
      response = await ask(address, request)
    } catch (error) {
      unanswered.add(`${pathname}: ${error instanceof Error ? error.message : String(error)}`)
      throw new Unanswered()
    }
    if (response.status >= 500) {
      unanswered.add(`${pathname} answers ${response.status}`)
      throw new Unanswered()
    }
    if (request === undefined) responses.set(address, response)
    return response
  }
}

async function each<Item>(items: Iterable<Item>, look: (item: Item) => Promise<string[]>): Promise<string[]> {
  const found: string[] = []
  for (const item of items) {
    try {
      found.push(...(await look(item)))
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error
    }
  }
  return found
}

interface Metadata {
  issuer?: string
  scopes_supported?: string[]
  jwks_uri?: string
  id_token_signing_alg_values_supported?: string[]
  [member: string]: unknown
}

/** Checks that there is one document and that its issuer is the requested one (RFC 8414 section 3.3). */
async function sameMetadata(ask: Fetch, { issuer, scopes, metadataPaths, isRegistrationOpen }: Expected): Promise<string[]> {
  const [first = '', ...aliases] = metadataPaths
  const answer = await ask(issuer + first)
  if (answer.status !== 200) return [`${first} answers ${answer.status}`]
  const metadata = read(answer)
  const others = await each(aliases, async (path) => {
    const { status, text } = await ask(issuer + path)
    return unless(status === 200 && text === answer.text, `${path} answers ${status}, or other metadata than ${first}`)
  })
  return [
    ...others,
    ...unless(metadata.issuer === issuer, `the metadata name the issuer ${metadata.issuer}`),
    ...unless(isSame(metadata.scopes_supported, scopes), 'scopes_supported is not the catalogue of scopes'),
    ...unless('registration_endpoint' in metadata === isRegistrationOpen, 'registration_endpoint does not follow the configuration'),
    ...unless(!('agent_auth' in metadata), 'the metadata promise agent_auth'),
  ]
}

/** A request to an endpoint, and the statuses of a response to a request without parameters. 429 is accepted as well. */
const probes: Record<string, { asked: FetchRequest; statuses: readonly number[] }> = {
  authorization_endpoint: { asked: {}, statuses: [400] },
  userinfo_endpoint: { asked: {}, statuses: [401, 403] },
  end_session_endpoint: { asked: {}, statuses: [200, 303] },
  jwks_uri: { asked: {}, statuses: [200] },
  registration_endpoint: { asked: { method: 'POST', headers: { 'content-type': 'application/json' }, body: '[]' }, statuses: [400] },
}
const emptyForm = { asked: { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' } }, statuses: [400, 401] }

async function everyEndpoint(ask: Fetch, { issuer, metadataPaths: [path = ''] }: Expected): Promise<string[]> {
  const metadata = read(await ask(issuer + path))
  const named = Object.entries(metadata).filter(([name]) => name.endsWith('_endpoint') || name === 'jwks_uri')
  const found = await each(named, async ([name, address]) => {
    if (typeof address !== 'string' || !address.startsWith(`${issuer}/`)) return [`${name} is not an address of ${issuer}`]
    const { asked, statuses } = probes[name] ?? emptyForm
    const { status } = await ask(address, asked)
    return unless([...statuses, 429].includes(status), `${name} answers ${status}`)
  })
  return [...unless(named.length > 0, 'the metadata name no endpoint'), ...found]
}

/** Checks that there is one public key for each advertised algorithm (OpenID Connect Discovery section 3), and no private key. */
async function keys(ask: Fetch, { issuer, metadataPaths: [path = ''] }: Expected): Promise<string[]> {
  const metadata = read(await ask(issuer + path))
  if (!metadata.jwks_uri) return ['the metadata name no keys']
  const { keys: published = [] } = read(await ask(metadata.jwks_uri)) as { keys?: { alg?: string; d?: string }[] }
  const missing = (metadata.id_token_signing_alg_values_supported ?? []).filter((alg) => !published.some((key) => key.alg === alg))
  return [
    ...missing.map((alg) => `no published key is for ${alg}`),
    ...unless(
      published.every((key) => key.d === undefined),
      'a published key is private',
    ),
  ]
}

/** Checks that each resource is the identifier from which its metadata URL is built (RFC 9728 section 3.3). */
async function scopesAndResources(ask: Fetch, { issuer, baselineScopes }: Expected): Promise<string[]> {
  return each(['', '/mcp'], async (suffix) => {
    const path = paths.protectedResource + suffix
    const metadata = read(await ask(issuer + path))
    return [
      ...unless(metadata.resource === issuer + suffix, `${path} names the resource ${metadata.resource}`),
      ...unless(isSame(metadata.authorization_servers, [issuer]), `${path} names another authorization server`),
      ...unless(isSame(metadata.scopes_supported, baselineScopes), `${path} names other scopes than the configuration`),
    ]
  })
}

const linkedDocuments: readonly { path: string; isGood(status: number): boolean }[] = [
  { path: paths.llmsTxt, isGood: (status) => status === 200 || status === 405 },
  { path: paths.home, isGood: (status) => status === 200 || status === 405 },
  { path: paths.apiMd, isGood: (status) => status === 200 },
  { path: paths.errorsMd, isGood: (status) => status === 200 },
  { path: paths.sitemap, isGood: (status) => status === 200 },
  { path: paths.apiCatalog, isGood: (status) => status === 200 || status === 405 },
  { path: paths.pricingMd, isGood: (status) => status === 200 },
  { path: paths.skills, isGood: (status) => status === 200 },
  { path: paths.authMd, isGood: (status) => status !== 404 },
]

/** In these folders, each address has its own code. */
const diverseFolders = ['/', '/.well-known/', '/api/v1/', '/oauth/', '/api/oauth/']
const few = 3

/**
 * Checks that every URL in a document gives a response. URLs in indexes and catalogues are requested with GET; commands name their methods.
 */
async function links(ask: Fetch, { issuer, isBrief }: Expected): Promise<string[]> {
  const requested = new Map<string, number>()
  const isRepetition = (address: string): boolean => {
    const folder = new URL('.', address).pathname
    if (!isBrief || diverseFolders.includes(folder)) return false
    const count = (requested.get(folder) ?? 0) + 1
    requested.set(folder, count)
    return count > few
  }
  return each(linkedDocuments, async ({ path, isGood }) => {
    const { status, text } = await ask(issuer + path)
    if (status !== 200) return [`${path} answers ${status}`]
    return each(ownLinks(text, issuer), async (address) => {
      if (isRepetition(address)) return []
      const answer = await ask(address)
      return unless(answer.status === 429 || isGood(answer.status), `${path} names ${address}, which answers ${answer.status}`)
    })
  })
}

async function description(ask: Fetch, { issuer }: Expected): Promise<string[]> {
  const answer = await ask(issuer + paths.openApi)
  const { servers = [] } = read(answer) as { servers?: { url?: string }[] }
  return unless(answer.status === 200 && servers[0]?.url === issuer, `${paths.openApi} answers ${answer.status}, for ${servers[0]?.url}`)
}

/** The texts that depend on the code alone are proved by tests: what remains is that they are the written ones. */
const writtenTexts: DocumentCheck = async (_ask, { alteredTexts = [] }) => alteredTexts.map((path) => `${path} is not as it was written`)

const unless = (isRight: boolean, contradiction: string): string[] => (isRight ? [] : [contradiction])

const isSame = (one: unknown, other: readonly string[]): boolean => JSON.stringify(one) === JSON.stringify(other)

/** A response that is not JSON has no members. */
function read({ text }: Pick<FetchResponse, 'text'>): Metadata {
  try {
    return Object(JSON.parse(text)) as Metadata
  } catch {
    return {}
  }
}
