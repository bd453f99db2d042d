import { isObject, type JsonObject } from '../../src/base/text/jsonValue.ts'
import type { RecordedRequest } from '../support/recordedRequests.ts'

/** Something that clients, browsers and libraries add to requests, and that cannot change what a request means. */
export interface Noise {
  name: string
  /** Returns the request with the noise; undefined for requests to which it does not apply. */
  add(request: RecordedRequest): RecordedRequest | undefined
}

export const pathOf = ({ target }: Pick<RecordedRequest, 'target'>): string => target.split('?')[0] ?? ''

const isDocument = (request: RecordedRequest): boolean =>
  request.method === 'GET' && /^\/(?:\.well-known\/.+|api\/oauth\/jwks|openapi\.json|auth\.md|llms\.txt)$/.test(pathOf(request))
const isClientEndpoint = (request: RecordedRequest): boolean => /^\/api\/oauth\/(?:token|revoke|introspect)$/.test(pathOf(request))
const isRegistration = (request: RecordedRequest): boolean => pathOf(request) === '/api/oauth/register'
const isAuthorization = (request: RecordedRequest): boolean => request.method === 'GET' && pathOf(request) === '/oauth/authorize'
const isMcp = (request: RecordedRequest): boolean => request.method === 'POST' && pathOf(request) === '/mcp'
const isAny = (): boolean => true

type Applies = (request: RecordedRequest) => boolean

/** A header that the client does not send itself. */
const header = (name: string, value: string, applies: Applies = isAny): Noise => ({
  name: `${name}: ${value}`,
  add: (request) =>
    applies(request) && request.headers[name] === undefined ? { ...request, headers: { ...request.headers, [name]: value } } : undefined,
})

const slash = (name: string, change: (path: string) => string): Noise => ({
  name,
  add: (request) => {
    if (!isDocument(request)) return undefined
    const path = pathOf(request)
    return { ...request, target: change(path) + request.target.slice(path.length) }
  },
})

const parameter = (name: string, value: string, applies: Applies): Noise => ({
  name: `the parameter ${name}=${value}`,
  add: (request) => {
    if (!applies(request)) return undefined
    const isForm = isClientEndpoint(request)
    const given = isForm ? request.body : request.target
    if (new URLSearchParams(isForm ? given : given.split('?')[1]).has(name)) return undefined
    const more = `${isForm ? '&' : given.includes('?') ? '&' : '?'}${name}=${value}`
    return isForm ? { ...request, body: given + more } : { ...request, target: given + more }
  },
})

/** A change of a JSON body, unless it is undefined for this one. */
const json = (name: string, applies: Applies, change: (body: JsonObject) => JsonObject | undefined): Noise => ({
  name,
  add: (request) => {
    const body: unknown = applies(request) && request.body !== '' ? JSON.parse(request.body) : undefined
    const changed = isObject(body) ? change(body) : undefined
    return changed && { ...request, body: JSON.stringify(changed) }
  },
})

const members = (...added: [name: string, value: unknown][]): Noise[] =>
  added.map(([name, value]) =>
    json(`the member ${name} of a registration as ${JSON.stringify(value)}`, isRegistration, (body) =>
      name in body ? undefined : { ...body, [name]: value },
    ),
  )

const ofMethod = (body: JsonObject, method: RegExp): JsonObject | undefined =>
  typeof body.method === 'string' && method.test(body.method) ? (isObject(body.params) ? body.params : {}) : undefined

const param = (name: string, value: unknown, method: RegExp): Noise =>
  json(`params.${name} of ${method.source} as ${JSON.stringify(value)}`, isMcp, (body) => {
    const params = ofMethod(body, method)
    return params && !(name in params) ? { ...body, params: { ...params, [name]: value } } : undefined
  })

const toolArgument = (name: string, value: unknown, tool: RegExp): Noise =>
  json(`the argument ${name} of ${tool.source} as ${JSON.stringify(value)}`, isMcp, (body) => {
    const params = ofMethod(body, /^(?:tools\/call|prompts\/get)$/)
    if (!params || !tool.test(String(params.name))) return undefined
    const given = isObject(params.arguments) ? params.arguments : {}
    return name in given ? undefined : { ...body, params: { ...params, arguments: { ...given, [name]: value } } }
  })

const isInitialize = (request: RecordedRequest): boolean => isMcp(request) && /"method":"initialize"/.test(request.body)
/** A message of a revision with a handshake: 2026-07-28 requires the header, and compares it with the message. */
const isOldMessage = (request: RecordedRequest): boolean =>
  isMcp(request) && !request.body.includes('io.modelcontextprotocol/protocolVersion')

export const noises: readonly Noise[] = [
  // Tracing, frameworks, browsers.
  header('traceparent', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'),
  header('sentry-trace', '0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1'),
  header('baggage', 'sentry-environment=production'),
  header('x-requested-with', 'XMLHttpRequest'),
  header('x-csrf-token', 'abc'),
  header('priority', 'u=1, i'),
  header('dnt', '1'),
  header('pragma', 'no-cache'),
  header('sec-fetch-site', 'same-origin'),
  header('upgrade-insecure-requests', '1'),
  header('cookie', 'theme=dark; _ga=GA1.1.1'),
  header('user-agent', 'Mozilla/5.0 (X11; Linux x86_64)'),
  header('te', 'trailers'),
  // Interceptors send the access token to every address of the API.
  ...['Bearer expired', 'bearer', '', 'Negotiate YIIabc', 'Token x', 'undefined'].map((value) =>
    header('authorization', value, (request) => isClientEndpoint(request) || isRegistration(request)),
  ),
  header('accept', 'text/html,application/xhtml+xml,*/*;q=0.8', isClientEndpoint),
  {
    name: 'the charset of a form',
    add: (request) =>
      isClientEndpoint(request)
        ? { ...request, headers: { ...request.headers, 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' } }
        : undefined,
  },
  {
    name: 'an ampersand at the end of a form',
    add: (request) => (isClientEndpoint(request) ? { ...request, body: `${request.body}&` } : undefined),
  },
  slash('a slash at the end of a document', (path) => `${path}/`),
  slash('a doubled slash before a document', (path) => `/${path}`),
  slash('a doubled slash in a document', (path) => path.replace(/(?<=.)\//, '//')),
  slash('slashes everywhere in a document', (path) => `${path.replaceAll('/', '///')}//`),
  parameter('_', '1732752000', isDocument),
  parameter('utm_source', 'app', (request) => isClientEndpoint(request) || isAuthorization(request)),
  ...['prompt', 'login_hint', 'ui_locales', 'acr_values', 'max_age', 'claims', 'id_token_hint', 'display', 'audience'].map((name) =>
    parameter(name, '', isAuthorization),
  ),
  ...['client_assertion', 'client_assertion_type', 'scope', 'resource', 'audience'].map((name) => parameter(name, '', isClientEndpoint)),
  ...members(
    ['logo_uri', null],
    ['contacts', null],
    ['scope', null],
    ['jwks', null],
    ['policy_uri', ''],
    ['software_id', ''],
    ['x_build', 7],
  ),
  // MCP.
  header('mcp-session-id', 'f3d9a6c2', isMcp),
  header('last-event-id', '7', isMcp),
  ...['', '2024-11-05', '2025-06-18', '2026-07-28', '2099-01-01'].map((value) => header('mcp-protocol-version', value, isInitialize)),
  header('mcp-protocol-version', '', isOldMessage),
  {
    name: 'the revision twice',
    add: (request) => {
      const { 'mcp-protocol-version': revision = '' } = request.headers
      const isOnce = isMcp(request) && revision !== '' && !revision.includes(',')
      return isOnce ? { ...request, headers: { ...request.headers, 'mcp-protocol-version': `${revision}, ${revision}` } } : undefined
    },
  },
  param('cursor', null, /^(?:tools|prompts|resources(?:\/templates)?)\/list$/),
  // PHP serializes an empty object as a list.
  ...[null, []].map((empty) => param('arguments', empty, /^tools\/call$/)),
  json('empty capabilities that are lists', isInitialize, (body) => {
    const params = ofMethod(body, /^initialize$/)
    if (!params || !isObject(params.capabilities)) return undefined
    const isEmpty = Object.keys(params.capabilities).length === 0
    return { ...body, params: { ...params, capabilities: isEmpty ? [] : { experimental: [], sampling: [], ...params.capabilities } } }
  }),
  json('params: null where there are none', isOldMessage, (body) =>
    ofMethod(body, /^(?:ping|tools\/list|notifications\/initialized)$/) && !('params' in body) ? { ...body, params: null } : undefined,
  ),
  json('params: [] where there are none', isOldMessage, (body) =>
    ofMethod(body, /^(?:ping|tools\/list|notifications\/initialized)$/) && !('params' in body) ? { ...body, params: [] } : undefined,
  ),
  json('members of initialize that are null', isInitialize, (body) => {
    const params = ofMethod(body, /^initialize$/)
    if (!params || !isObject(params.capabilities) || !isObject(params.clientInfo)) return undefined
    const capabilities = { experimental: null, sampling: null, roots: null, ...params.capabilities }
    return { ...body, params: { _meta: null, ...params, capabilities, clientInfo: { title: null, icons: null, ...params.clientInfo } } }
  }),
  json('_meta with a progress token that is null', isOldMessage, (body) => {
    const params = ofMethod(body, /\/(?:list|call|read|get)$/)
    return params && !('_meta' in params) ? { ...body, params: { ...params, _meta: { progressToken: null } } } : undefined
  }),
  ...[null, ''].flatMap((empty) => [
    ...['limit', 'cursor', 'sort', 'fields', 'q'].map((name) => toolArgument(name, empty, /^list_courses$/)),
    ...['types', 'limit'].map((name) => toolArgument(name, empty, /^search_catalog$/)),
    ...['level', 'budget'].map((name) => toolArgument(name, empty, /^recommend_course$/)),
  ]),
]
