import type { Ask, AskedRequest, GivenAnswer } from '../http/inProcess.ts'
import { ownLinks } from './ownLinks.ts'
import { paths } from './schoolFacts.ts'

/** What a school's documents are held against. */
export interface Expected {
  issuer: string
  /** Every scope, in the order in which it is advertised. */
  scopes: readonly string[]
  baselineScopes: readonly string[]
  metadataPaths: readonly string[]
  isRegistrationOpen: boolean
}

/** Looks at one thing that the service says of itself. Names what is not true. */
export type Claim = (ask: Ask, expected: Expected) => Promise<string[]>

interface Metadata {
  issuer?: string
  scopes_supported?: string[]
  jwks_uri?: string
  id_token_signing_alg_values_supported?: string[]
  [member: string]: unknown
}

/** Every claim that is checked before a school takes requests. */
export const claims: readonly Claim[] = [sameMetadata, everyEndpoint, keys, scopesAndResources, links, description]

/** RFC 8414 section 3.3: one document, and it speaks for the issuer that it was asked of. */
async function sameMetadata(ask: Ask, { issuer, scopes, metadataPaths, isRegistrationOpen }: Expected): Promise<string[]> {
  const answers = await Promise.all(metadataPaths.map((path) => ask(issuer + path)))
  if (answers[0]?.status !== 200) return [`${metadataPaths[0]} answers ${answers[0]?.status}`]
  const metadata = read(answers[0])
  return [
    ...answers.flatMap(({ status, text }, index) =>
      status === 200 && text === answers[0]?.text
        ? []
        : [`${metadataPaths[index]} answers ${status}, or other metadata than ${metadataPaths[0]}`],
    ),
    ...unless(metadata.issuer === issuer, `the metadata name the issuer ${metadata.issuer}`),
    ...unless(isSame(metadata.scopes_supported, scopes), 'scopes_supported is not the catalogue of scopes'),
    ...unless('registration_endpoint' in metadata === isRegistrationOpen, 'registration_endpoint does not follow the configuration'),
    ...unless(!('agent_auth' in metadata), 'the metadata promise agent_auth'),
  ]
}

/** What an endpoint is asked, and how it answers a request that says nothing. 429 is an answer as well. */
const probes: Record<string, { asked: AskedRequest; statuses: readonly number[] }> = {
  authorization_endpoint: { asked: {}, statuses: [400] },
  userinfo_endpoint: { asked: {}, statuses: [401, 403] },
  end_session_endpoint: { asked: {}, statuses: [200, 303] },
  jwks_uri: { asked: {}, statuses: [200] },
  registration_endpoint: { asked: { method: 'POST', headers: { 'content-type': 'application/json' }, body: '[]' }, statuses: [400] },
}
const emptyForm = { asked: { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' } }, statuses: [400, 401] }

async function everyEndpoint(ask: Ask, { issuer, metadataPaths: [path = ''] }: Expected): Promise<string[]> {
  const metadata = read(await ask(issuer + path))
  const named = Object.entries(metadata).filter(([name]) => name.endsWith('_endpoint') || name === 'jwks_uri')
  const found = await Promise.all(
    named.map(async ([name, address]) => {
      if (typeof address !== 'string' || !address.startsWith(`${issuer}/`)) return [`${name} is not an address of ${issuer}`]
      const { asked, statuses } = probes[name] ?? emptyForm
      const { status } = await ask(address, asked)
      return unless([...statuses, 429].includes(status), `${name} answers ${status}`)
    }),
  )
  return [...unless(named.length > 0, 'the metadata name no endpoint'), ...found.flat()]
}

/** One public key for each algorithm that is promised (OpenID Connect Discovery section 3), and nothing private. */
async function keys(ask: Ask, { issuer, metadataPaths: [path = ''] }: Expected): Promise<string[]> {
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

/** RFC 9728 section 3.3: each resource is the very address that its metadata were made from. */
async function scopesAndResources(ask: Ask, { issuer, baselineScopes }: Expected): Promise<string[]> {
  const found = await Promise.all(
    ['', '/mcp'].map(async (suffix) => {
      const path = paths.protectedResource + suffix
      const metadata = read(await ask(issuer + path))
      return [
        ...unless(metadata.resource === issuer + suffix, `${path} names the resource ${metadata.resource}`),
        ...unless(isSame(metadata.authorization_servers, [issuer]), `${path} names another authorization server`),
        ...unless(isSame(metadata.scopes_supported, baselineScopes), `${path} names other scopes than the configuration`),
      ]
    }),
  )
  return found.flat()
}

/** Whatever a document names answers. An index and a catalogue are followed by GET; commands have methods of their own. */
async function links(ask: Ask, { issuer }: Expected): Promise<string[]> {
  const documents = [
    { path: paths.llmsTxt, isTrue: (status: number) => status === 200 || status === 405 },
    { path: paths.apiCatalog, isTrue: (status: number) => status === 200 || status === 405 },
    { path: paths.pricingMd, isTrue: (status: number) => status === 200 },
    { path: paths.authMd, isTrue: (status: number) => status !== 404 && status < 500 },
  ]
  const texts = await Promise.all(documents.map(({ path }) => ask(issuer + path)))
  const missing = documents.flatMap(({ path }, index) => unless(texts[index]?.status === 200, `${path} answers ${texts[index]?.status}`))
  const named = new Map<string, Set<number>>()
  for (const [index, { text }] of texts.entries())
    for (const address of ownLinks(text, issuer)) named.set(address, (named.get(address) ?? new Set()).add(index))
  const answers = await Promise.all(
    [...named].map(async ([address, by]) => {
      const { status } = await ask(address)
      return [...by].flatMap((index) => {
        const { path = '', isTrue } = documents[index] ?? {}
        return unless(status === 429 || isTrue?.(status) === true, `${path} names ${address}, which answers ${status}`)
      })
    }),
  )
  return [...missing, ...answers.flat()]
}

/** The OpenAPI document is of this origin and its scopes are the catalogue. */
async function description(ask: Ask, { issuer }: Expected): Promise<string[]> {
  const { status, text } = await ask(issuer + paths.openApi)
  const { servers = [] } = read({ status, text }) as { servers?: { url?: string }[] }
  return unless(status === 200 && servers[0]?.url === issuer, `${paths.openApi} answers ${status}, for ${servers[0]?.url}`)
}

const unless = (isTrue: boolean, fault: string): string[] => (isTrue ? [] : [fault])

const isSame = (one: unknown, other: readonly string[]): boolean => JSON.stringify(one) === JSON.stringify(other)

/** What is not JSON says nothing. */
function read(answer: Pick<GivenAnswer, 'status' | 'text'> | undefined): Metadata {
  try {
    return JSON.parse(answer?.text ?? '{}') as Metadata
  } catch {
    return {}
  }
}
