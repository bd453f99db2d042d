import { gunzipSync } from 'node:zlib'
import type { SelfCheckResult } from '../../agents/selfCheck.ts'
import { isObject } from '../../base/text/jsonValue.ts'
import { newTemporaryClientId } from '../../identity/oidc/clientOptions.ts'
import { type Check, failed, passed, skipped, warned } from './check.ts'
import { sendRequest } from './sendRequest.ts'

export interface PublicArguments {
  base: string
  /** The issuer of the school's configuration; undefined if the address belongs to no configured school. */
  issuer: string | undefined
  /** Compares the school's documents with what it serves, at the public address. */
  selfCheck(): Promise<SelfCheckResult>
}

const gateway = 'Compare the gateway with deploy/nginx.conf or deploy/Caddyfile'
const metadataPath = '/.well-known/oauth-authorization-server'

/** Addresses at which clients look for the metadata (RFC 8414, OpenID Connect Discovery, RFC 9728), and the member with the address. */
const discovery: readonly (readonly [path: string, member: 'issuer' | 'resource', resource: string])[] = [
  [metadataPath, 'issuer', ''],
  [`${metadataPath}/mcp`, 'issuer', ''],
  ['/.well-known/openid-configuration', 'issuer', ''],
  ['/.well-known/openid-configuration/mcp', 'issuer', ''],
  ['/.well-known/oauth-protected-resource', 'resource', ''],
  ['/.well-known/oauth-protected-resource/mcp', 'resource', '/mcp'],
]

/** Returns the checks that anybody can make at the public address, as clients do. */
export function publicChecks({ base, issuer, selfCheck }: PublicArguments): Check[] {
  return [
    { id: 'address', run: () => checkAddress(base, issuer) },
    { id: 'discovery', run: () => checkDiscovery(base) },
    { id: 'documents', run: () => checkDocuments(selfCheck) },
    { id: 'cors', run: () => checkCors(base) },
    { id: 'challenge', run: () => checkChallenge(base) },
    { id: 'token_endpoint', run: () => checkTokenEndpoint(base) },
    { id: 'etag', run: () => checkEtag(base) },
    { id: 'compression', run: () => checkCompression(base) },
    { id: 'mcp', run: () => checkMcp(base) },
    { id: 'private_paths', run: () => checkPrivatePaths(base) },
  ]
}

async function checkAddress(base: string, issuer: string | undefined) {
  const { status, json, headers } = await sendRequest(`${base}${metadataPath}`)
  if (status === 421)
    return failed(
      `no school is served at ${new URL(base).host}`,
      'Set issuer in the file of the school (BASE_URL for the demo), and let the gateway pass on Host.',
    )
  if (status >= 300 && status < 400)
    return failed(
      `the metadata redirect to ${headers.location}`,
      'Clients do not follow this redirect: serve the school at the address of its issuer.',
    )
  if (status !== 200 || !json)
    return failed(
      `the metadata answer ${status}`,
      'Check that the gateway sends every path of this host to the service, and that the service is ready.',
    )
  if (json.issuer !== base)
    return failed(
      `${base} serves the issuer ${json.issuer}`,
      `Use ${json.issuer} as the public address, or set issuer in the school's file (BASE_URL for the demo) to ${base} and restart.`,
    )
  if (issuer === undefined)
    return warned('the school is served, but this configuration does not contain it', 'Run the command with the CONFIG_DIR of the service.')
  const foreign = Object.entries(json).filter(([name, url]) => /_endpoint$|^jwks_uri$/.test(name) && !String(url).startsWith(`${base}/`))
  if (foreign.length > 0)
    return failed(`${foreign.map(([name]) => name).join(', ')} lead to another origin`, `${gateway}: it may not rewrite bodies.`)
  return passed(`issuer ${base}`)
}

async function checkDiscovery(base: string) {
  const wrong: string[] = []
  for (const [path, member, suffix] of discovery) {
    const { status, json } = await sendRequest(`${base}${path}`)
    if (status !== 200) wrong.push(`${path} answers ${status}`)
    else if (json?.[member] !== `${base}${suffix}`) wrong.push(`${path} names ${String(json?.[member])}`)
  }
  if (wrong.length === 0) return passed(`${discovery.length} addresses`)
  return failed(wrong.join('; '), `${gateway}: every path below /.well-known must reach the service, with its suffix.`)
}

async function checkDocuments(selfCheck: PublicArguments['selfCheck']) {
  const { state, problems } = await selfCheck()
  if (state === 'passed') return passed('documents agree with the service')
  return failed(
    problems.slice(0, 3).join('; '),
    'Run schoolgate self-check, which asks the service without the gateway. If it passes, the gateway changes responses.',
  )
}

async function checkCors(base: string) {
  const wrong: string[] = []
  // A school at a private address allows no page of another site to call /mcp.
  for (const path of ['/api/oauth/token', '/api/oauth/register', '/mcp']) {
    const headers = {
      origin: path === '/mcp' ? base : 'https://app.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization, content-type',
    }
    const { status, headers: got } = await sendRequest(`${base}${path}`, { method: 'OPTIONS', headers })
    if (status !== 204 && status !== 200) wrong.push(`OPTIONS ${path} answers ${status}`)
    else if (got['access-control-allow-origin'] === undefined) wrong.push(`OPTIONS ${path} has no Access-Control-Allow-Origin`)
  }
  if (wrong.length === 0) return passed('preflight requests are allowed')
  return failed(
    wrong.join('; '),
    `Apps in browsers cannot connect. ${gateway}: pass OPTIONS on and keep the Access-Control headers; or allow origins in cors of server.yaml.`,
  )
}

async function checkChallenge(base: string) {
  const headers = { authorization: 'Bearer schoolgate-doctor-invalid-token' }
  const { status, headers: got } = await sendRequest(`${base}/api/v1/account`, { headers })
  if (status === 403)
    return failed('a request with a token is treated as one without', `${gateway}: it must pass the Authorization header on.`)
  if (status !== 401)
    return failed(`an invalid token gets ${status} instead of 401`, `${gateway}: it may not authenticate requests itself.`)
  const pointer = /resource_metadata="([^"]*)"/.exec(String(got['www-authenticate'] ?? ''))?.[1]
  if (pointer === undefined)
    return failed(
      'the response to an invalid token has no WWW-Authenticate with resource_metadata',
      `${gateway}: it must keep this header.`,
    )
  if (!pointer.startsWith(`${base}/`))
    return failed(`the challenge leads to ${pointer}`, 'Set the issuer of the school to its public address.')
  return passed('an invalid token is challenged')
}

async function checkTokenEndpoint(base: string) {
  // Unknown, and of the kind about which receivers of webhooks get no events.
  const clientId = newTemporaryClientId()
  const send = () =>
    sendRequest(`${base}/api/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `grant_type=refresh_token&refresh_token=schoolgate-doctor&client_id=${clientId}`,
    })
  const [first, second] = [await send(), await send()]
  if (first.status < 400 || first.status >= 500 || typeof first.json?.error !== 'string')
    return failed(`an unknown client gets ${first.status}`, `${gateway}: POST bodies must reach the service, and its errors the client.`)
  const ids = [first, second].map(({ headers }) => headers['request-id'])
  if (ids[0] !== undefined && ids[0] === ids[1])
    return failed('two requests got the same stored response', `${gateway}: it may not store responses to POST.`)
  const caching = String(first.headers['cache-control'] ?? '')
  if (!caching.includes('no-store') || first.headers.age !== undefined)
    return failed(
      `Cache-Control of the token endpoint is "${caching}"`,
      `${gateway}: it must keep Cache-Control: no-store (RFC 6749 section 5.1) and may not store responses.`,
    )
  return passed('errors arrive, nothing is stored')
}

async function checkEtag(base: string) {
  const path = `${base}/api/v1/school`
  const plain = await sendRequest(path)
  if (plain.status !== 200)
    return failed(`/api/v1/school answers ${plain.status}`, 'Check that the school is published and the service is ready.')
  const { etag } = plain.headers
  if (etag === undefined) return failed('the API answers without ETag', `Clients cannot use If-Match. ${gateway}: it must keep ETag.`)
  if (etag.startsWith('W/'))
    return failed(
      `the gateway weakens ETag (${etag}) although the client takes no compression`,
      `${gateway}: it may not change bodies of the API.`,
    )
  const zipped = await sendRequest(path, { headers: { 'accept-encoding': 'gzip' } })
  if (zipped.headers.etag === undefined)
    return failed('ETag is missing from compressed responses', `${gateway}: it must keep ETag when it compresses.`)
  const again = await sendRequest(path, { headers: { 'if-none-match': etag } })
  if (again.status !== 304) return failed(`If-None-Match gets ${again.status} instead of 304`, `${gateway}: it must pass If-None-Match on.`)
  return passed(zipped.headers.etag.startsWith('W/') ? 'kept, weak when compressed' : 'kept')
}

async function checkCompression(base: string) {
  const { status, headers, body } = await sendRequest(`${base}/auth.md`, { headers: { 'accept-encoding': 'gzip' } })
  if (status !== 200) return failed(`/auth.md answers ${status}`, 'Check that every path of this host reaches the service.')
  if (headers['content-encoding'] === undefined)
    return warned(`text is not compressed (${body.length} bytes)`, `Let the gateway compress text above 1 KiB, as deploy/nginx.conf does.`)
  if (headers['content-encoding'] === 'gzip' && gunzipSync(body).length === 0) return failed('the compressed body is empty', gateway)
  if (!/accept-encoding/i.test(String(headers.vary ?? '')))
    return warned('Vary lacks Accept-Encoding', 'Add it: otherwise caches serve compressed text to clients that cannot read it.')
  return passed('text is compressed')
}

async function checkMcp(base: string) {
  const send = (method: string, params: object, id: number) =>
    sendRequest(`${base}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
    })
  const client = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'schoolgate doctor', version: '1' } }
  const begun = await send('initialize', client, 1)
  if (begun.status === 404) return skipped('the school has no MCP endpoint')
  const opened = begun.json?.result
  if (begun.status !== 200 || !isObject(opened) || !isObject(opened.serverInfo))
    return failed(`initialize gets ${begun.status}`, `${gateway}: /mcp must reach the service with its body and its Accept header.`)
  const listed = (await send('tools/list', {}, 2)).json?.result
  const tools = isObject(listed) && Array.isArray(listed.tools) ? listed.tools : []
  if (tools.length === 0) return failed('tools/list returns no tools', `${gateway}: /mcp must not be stored or shortened.`)
  return passed(`${tools.length} tools without a sign-in`)
}

async function checkPrivatePaths(base: string) {
  const open: string[] = []
  for (const path of ['/metrics', '/readyz', '/operator/v1/identity', '/platform/v1/orders']) {
    const { status, headers } = await sendRequest(`${base}${path}`)
    const isOurs = path === '/metrics' ? /text\/plain/.test(String(headers['content-type'])) : status !== 404
    if (status !== 404 && status < 500 && isOurs) open.push(`${path} answers ${status}`)
  }
  if (open.length === 0) return passed('the private port is not public')
  return failed(open.join('; '), 'Route PORT only: the gateway must not lead to ADMIN_PORT.')
}
