/**
 * The whole way from nothing to a first answer, as any client walks it: register, ask the person, exchange the code, call what was granted.
 *
 *   npm run first-token -- [base address] [scope ...]
 *
 * The base address is http://127.0.0.1:3000 and the scopes are `openid account:read` by default.
 */
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

interface ServerMetadata {
  issuer: string
  authorization_endpoint: string
  token_endpoint: string
  registration_endpoint: string
  userinfo_endpoint: string
  introspection_endpoint: string
}

const [base = 'http://127.0.0.1:3000', ...scopes] = process.argv.slice(2)
const scope = scopes.length > 0 ? scopes.join(' ') : 'openid account:read'
const patienceSeconds = 300

try {
  await walk(base.replace(/\/$/, ''))
} catch (error) {
  process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}

async function walk(issuer: string): Promise<void> {
  const metadata = await askJson<ServerMetadata>(`${issuer}/.well-known/oauth-authorization-server`)
  // A document that speaks for another issuer is not to be followed (RFC 8414 section 3.3).
  if (metadata.issuer !== issuer) throw new Error(`${issuer} says that its issuer is ${metadata.issuer}. Name that address instead.`)

  const callback = createServer()
  callback.listen(0, '127.0.0.1')
  await once(callback, 'listening')
  try {
    const redirectUri = `http://127.0.0.1:${(callback.address() as AddressInfo).port}/callback`
    const { client_id: clientId } = await askJson<{ client_id: string }>(metadata.registration_endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: 'First token', redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' }),
    })
    say(`Registered the client ${clientId}.`)

    const [verifier, state] = [randomText(), randomText()]
    const address = new URL(metadata.authorization_endpoint)
    address.search = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      scope,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      state,
    }).toString()
    say(`\nOpen this address in a browser on this machine, sign in and allow what you like:\n\n  ${address}\n`)

    const answer = await nextRedirect(callback)
    const code = codeOf(answer, { state, issuer })
    const tokens = await askJson<{ access_token: string; scope: string }>(metadata.token_endpoint, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectUri,
        client_id: clientId,
        code_verifier: verifier,
      }),
    })
    say(`Got an access token for: ${tokens.scope}`)

    await callSomethingGranted(metadata, clientId, tokens)
  } finally {
    callback.close()
    callback.closeAllConnections()
  }
}

/** Calls the first address that the granted scopes open: the account, another resource of the API, UserInfo, or at least introspection. */
async function callSomethingGranted(
  { issuer, userinfo_endpoint, introspection_endpoint }: ServerMetadata,
  clientId: string,
  { access_token: token, scope }: { access_token: string; scope: string },
): Promise<void> {
  const granted = new Set(scope.split(' '))
  const { resources } = await askJson<{ resources: { name: string; url: string; scope: string }[] }>(`${issuer}/api/v1`)
  const readable = resources
    .filter((resource) => granted.has(resource.scope))
    .sort((left, right) => Number(right.name === 'account') - Number(left.name === 'account'))
  const addresses = [...readable.map(({ url }) => url), ...(granted.has('openid') ? [userinfo_endpoint] : [])]
  for (const address of addresses) {
    const response = await fetch(address, { headers: { authorization: `Bearer ${token}` }, signal: AbortSignal.timeout(15_000) })
    if (!response.ok) continue
    say(`\nGET ${address}\n${JSON.stringify(await response.json(), null, 2)}`)
    return
  }
  const answer = await askJson(introspection_endpoint, { method: 'POST', body: new URLSearchParams({ token, client_id: clientId }) })
  say(`\nNothing granted can be read without more input. POST ${introspection_endpoint}\n${JSON.stringify(answer, null, 2)}`)
}

/** Resolves with the parameters of the redirect to the loopback address. */
function nextRedirect(server: ReturnType<typeof createServer>): Promise<URLSearchParams> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`Nobody came back within ${patienceSeconds} seconds. Run this again when you are ready.`)),
      patienceSeconds * 1000,
    )
    server.on('request', (request, response) => {
      const url = URL.parse(request.url ?? '/', 'http://127.0.0.1')
      if (request.method !== 'GET' || url?.pathname !== '/callback') {
        response.writeHead(404).end()
        return
      }
      clearTimeout(timer)
      response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
      response.end('Thank you. You can close this page and go back to the terminal.\n', () => resolve(url.searchParams))
    })
  })
}

/** The code of a redirect that answers our request and comes from our issuer (RFC 9207 section 2.4). */
function codeOf(answer: URLSearchParams, { state, issuer }: { state: string; issuer: string }): string {
  if (answer.get('state') !== state)
    throw new Error('The redirect carries another state: it does not answer this request. Nothing was exchanged.')
  if (answer.get('iss') !== issuer)
    throw new Error(`The redirect comes from ${answer.get('iss')}, not from ${issuer}. Nothing was exchanged.`)
  const error = answer.get('error')
  if (error) throw new Error(`The service refused: ${error}. ${answer.get('error_description') ?? ''}`)
  const code = answer.get('code')
  if (!code) throw new Error('The redirect carries neither a code nor an error.')
  return code
}

async function askJson<Answer = unknown>(url: string, init: RequestInit = {}): Promise<Answer> {
  let response: Response
  try {
    response = await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(15_000) })
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error)
    throw new Error(`${url} does not answer (${cause || error}). Is the service running? Start it with: npm start`)
  }
  const text = await response.text()
  if (!response.ok) throw new Error(`${init.method ?? 'GET'} ${url} answered ${response.status}: ${text.slice(0, 500)}`)
  try {
    return JSON.parse(text) as Answer
  } catch {
    throw new Error(`${url} answered something that is not JSON. Is this the address of the service?`)
  }
}

function randomText(): string {
  return randomBytes(32).toString('base64url')
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
