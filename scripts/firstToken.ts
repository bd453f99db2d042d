/**
 * Runs the whole flow of a client: registers, sends the person to the sign-in, exchanges the code, and sends a request with the token.
 *
 *   npm run first-token -- [base address] [scope ...]
 *
 * The base address is http://127.0.0.1:3000 and the scopes are `openid account:read` by default. FIRST_TOKEN_SECONDS is how long it waits
 * for the sign-in, 300 by default.
 */
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'

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
const timeoutSeconds = Number(process.env.FIRST_TOKEN_SECONDS ?? 300)

/** A redirect that belongs to an earlier run of this command, or that somebody made up. */
class OtherRun extends Error {}

const usage = `Usage: npm run first-token -- [base address] [scope ...]

Registers a client, opens the sign-in, exchanges the code, and sends a request with the token.
The default is http://127.0.0.1:3000 with the scopes openid account:read.
FIRST_TOKEN_SECONDS is how long it waits for the sign-in, 300 by default.
`

if (base === '--help' || base === '-h') {
  process.stdout.write(usage)
  process.exit()
}
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

    say(
      'If that browser runs on another computer, tick "The app is on a different computer", and paste the address that the page shows here.',
    )
    const code = await nextCode(callback, { redirectUri, state, issuer })
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

interface Expected {
  redirectUri: string
  state: string
  issuer: string
}

/**
 * Resolves with the code of the redirect, which arrives at the loopback address or is pasted into the terminal. A redirect of another run is
 * reported and not used.
 * @throws Error if the person allowed nothing, if the redirect comes from another issuer, or if none arrives in time
 */
function nextCode(server: Server, expected: Expected): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const timer = setTimeout(() => reject(new Error(tooLate(expected))), timeoutSeconds * 1000)
  const use = (answer: URLSearchParams): string => {
    try {
      resolve(codeOf(answer, expected))
      return 'Thank you. You can close this page and go back to the terminal.'
    } catch (error) {
      if (error instanceof OtherRun) return say(error.message)
      reject(error)
      return (error as Error).message
    }
  }
  server.on('request', (request, response) => {
    const url = URL.parse(request.url ?? '/', 'http://127.0.0.1')
    if (request.method !== 'GET' || url?.pathname !== '/callback') return void response.writeHead(404).end()
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
    response.end(`${use(url.searchParams)}\n`)
  })
  const lines = createInterface({ input: process.stdin })
  lines.on('line', (line) => {
    const url = URL.parse(line.trim())
    if (url?.searchParams.has('state')) use(url.searchParams)
    else if (line.trim() !== '') say('This is not the address that the page showed. Copy the whole address, from http:// to its end.')
  })
  return promise.finally(() => {
    clearTimeout(timer)
    lines.close()
    process.stdin.destroy()
  })
}

function tooLate({ redirectUri }: Expected): string {
  return `Nobody finished the sign-in within ${timeoutSeconds} seconds. Run this command again. If the browser could not open ${redirectUri}, \
it runs on another computer: tick "The app is on a different computer" on the consent page, and paste the address it shows here.`
}

/** Returns the code of the redirect. Checks that it belongs to this request and comes from the issuer (RFC 9207 section 2.4). */
function codeOf(answer: URLSearchParams, { state, issuer }: Expected): string {
  if (answer.get('state') !== state) {
    throw new OtherRun(
      'The state of this redirect differs from the request, so the code was not exchanged. Open the address that the terminal shows now.',
    )
  }
  if (answer.get('iss') !== issuer)
    throw new Error(`The redirect comes from ${answer.get('iss')}, not from ${issuer}, so the code was not exchanged.`)
  const error = answer.get('error')
  if (error === 'access_denied')
    throw new Error(
      'No permission was allowed (access_denied), so there is no token. Run this command again, and allow at least one permission.',
    )
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

/** Prints the text, and returns it. */
function say(text: string): string {
  process.stdout.write(`${text}\n`)
  return text
}
