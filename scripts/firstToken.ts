/**
 * Runs the whole flow of a client: registers, sends the person to the sign-in, exchanges the code, and sends a request with the token.
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
  // Metadata of another issuer must not be used (RFC 8414 section 3.3).
  if (metadata.issuer !== issuer) throw new Error(`${issuer} has the issuer ${metadata.issuer}. Use that address instead.`)

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
    say(`\nOpen this address in a browser on this machine, sign in and choose the permissions:\n\n  ${address}\n`)

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

/** Requests the first URL that the granted scopes allow: the account, another resource of the API, UserInfo, or token introspection. */
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
  say(`\nNo granted scope can be used without more input. POST ${introspection_endpoint}\n${JSON.stringify(answer, null, 2)}`)
}

/** Resolves with the parameters of the redirect to the loopback address. */
function nextRedirect(server: ReturnType<typeof createServer>): Promise<URLSearchParams> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`No redirect arrived within ${patienceSeconds} seconds. Run this command again.`)),
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

/** Returns the code of the redirect. Checks that it belongs to this request and comes from the issuer (RFC 9207 section 2.4). */
function codeOf(answer: URLSearchParams, { state, issuer }: { state: string; issuer: string }): string {
  if (answer.get('state') !== state)
    throw new Error('The state of the redirect differs from the request, so the code was not exchanged. Run this command again.')
  if (answer.get('iss') !== issuer)
    throw new Error(`The redirect comes from ${answer.get('iss')}, not from ${issuer}, so the code was not exchanged.`)
  const error = answer.get('error')
  if (error) throw new Error(`The service rejected the request: ${error}. ${answer.get('error_description') ?? ''}`)
  const code = answer.get('code')
  if (!code) throw new Error('The redirect contains neither a code nor an error.')
  return code
}

async function askJson<Answer = unknown>(url: string, init: RequestInit = {}): Promise<Answer> {
  let response: Response
  try {
    response = await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(15_000) })
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error)
    throw new Error(`${url} does not respond (${cause || error}). Start the service with: npm start`)
  }
  const text = await response.text()
  if (!response.ok) throw new Error(`${init.method ?? 'GET'} ${url} returned ${response.status}: ${text.slice(0, 500)}`)
  try {
    return JSON.parse(text) as Answer
  } catch {
    throw new Error(`${url} returned a response that is not JSON. Check that this is the address of the service.`)
  }
}

function randomText(): string {
  return randomBytes(32).toString('base64url')
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
