import { setTimeout as delay } from 'node:timers/promises'
import type { School } from '../../base/school.ts'
import { type AppRequest, appAccess } from '../../identity/apps/appAccess.ts'
import { documentRules, registrationRules } from '../compose/clients.ts'
import { type Check, type Finding, failed, passed, skipped, warned } from './check.ts'
import type { ClientShape } from './clientShapes.ts'
import { type FlowArguments, register, removeClients } from './flowChecks.ts'
import { type HttpResponse, sendRequest } from './sendRequest.ts'
import { createBrowser } from './signIn.ts'
import { checkSignOutOf } from './signOutCheck.ts'

export interface ClientArguments extends FlowArguments {
  integrations: readonly {
    client_id: string
    redirect_uris: readonly string[]
    post_logout_redirect_uris?: readonly string[] | undefined
  }[]
  /** Name of the school's file, without its ending. */
  slug: string
}

interface Sender {
  clientId: string
  redirectUri: string
}

const loopback = 'http://127.0.0.1:53682/callback'
/** A verifier, and a challenge, of the length that PKCE requires. */
const verifier = 'a'.repeat(43)
const maxWaitSeconds = 20

/** Sends a request, and sends it once more if a limit asks to wait for a short time. */
const patiently: typeof sendRequest = async (address, request) => {
  const first = await sendRequest(address, request)
  const seconds = Number(first.headers['retry-after'])
  if (first.status !== 429 || !(seconds <= maxWaitSeconds)) return first
  await delay(seconds * 1000)
  return await sendRequest(address, request)
}

/**
 * Returns the checks that replay the requests of a client up to the sign-in page, and what removes the temporary clients that they register.
 * A check may run without those before it.
 */
export function clientChecks(shape: ClientShape, args: ClientArguments): { checks: Check[]; cleanUp(): Promise<void> } {
  const { base, session } = args
  const made: string[] = []
  const add = async (metadata: object): Promise<HttpResponse> => {
    const response = await register(base, session, metadata, patiently)
    if (typeof response.json?.client_id === 'string') made.push(response.json.client_id)
    return response
  }
  const fill = (parameters: Readonly<Record<string, string>>): [string, string][] =>
    Object.entries(parameters).map(([name, value]) => [name, value.replace('{base}', base)])
  let begun: Promise<{ finding: Finding; sender?: Sender }> | undefined
  const known = () => (begun ??= becomeKnown(shape, args, add))
  let temporary: Promise<HttpResponse> | undefined

  const post = async (path: string, parameters: Readonly<Record<string, string>>): Promise<HttpResponse | Finding> => {
    // The secret of an integration is not known here, so a temporary client takes its place.
    temporary ??= add({ client_name: 'Schoolgate doctor', redirect_uris: [loopback], token_endpoint_auth_method: 'client_secret_post' })
    const { status, json } = await temporary
    if (status === 429) return limited
    if (status !== 201) return skipped('without self-registration there is no client for this request')
    const form = new URLSearchParams([
      ...fill(parameters),
      ['client_id', `${json?.client_id}`],
      ['client_secret', `${json?.client_secret}`],
    ])
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    return await patiently(`${base}${path}`, { method: 'POST', headers, body: String(form) })
  }
  const expectInvalidGrant = async (parameters: Readonly<Record<string, string>>, what: string): Promise<Finding> => {
    const answer = await post('/api/oauth/token', parameters)
    if ('state' in answer) return answer
    if (answer.json?.error === 'invalid_grant') return passed(`${what} is accepted in this form, and refused as unknown`)
    return refusalOf(answer)
  }

  return {
    checks: [
      { id: 'registration', run: async () => (await known()).finding },
      {
        id: 'authorization',
        async run() {
          const { sender } = await known()
          return sender ? await checkAuthorization(base, sender, fill(shape.authorization)) : skipped('the client has no client ID here')
        },
      },
      {
        id: 'token',
        run: () =>
          expectInvalidGrant(
            { grant_type: 'authorization_code', code: 'unknown', redirect_uri: loopback, code_verifier: verifier, ...shape.token },
            'a code',
          ),
      },
      {
        id: 'refresh',
        run: () => expectInvalidGrant({ grant_type: 'refresh_token', refresh_token: 'unknown', ...shape.refresh }, 'a refresh token'),
      },
      {
        id: 'revocation',
        async run() {
          const answer = await post('/api/oauth/revoke', { token: 'unknown', token_type_hint: 'refresh_token' })
          if ('state' in answer) return answer
          return answer.status === 200 && answer.json ? passed('an unknown token counts as revoked') : refusalOf(answer)
        },
      },
      {
        id: 'sign_out',
        async run() {
          const { sender } = await known()
          const integration = args.integrations.find(({ client_id: id }) => id === sender?.clientId)
          if (!integration || shape.app) return skipped('only an integration that is a web service leads people back after a sign-out')
          return await checkSignOutOf(base, { clientId: integration.client_id, addresses: integration.post_logout_redirect_uris ?? [] })
        },
      },
    ],
    cleanUp: async () => removeClients(session, await args.school(), made),
  }
}

const limited = skipped('a limit for this address is reached: try again later')

const refusalOf = ({ status, json }: HttpResponse): Finding =>
  status === 429
    ? limited
    : failed(
        `the response is ${status} ${String(json?.error ?? '')}: ${String(json?.error_description ?? 'no reason')}`,
        'Compare the gateway with deploy/nginx.conf or deploy/Caddyfile, and the release of the service with this one.',
      )

async function becomeKnown(
  { name, app }: ClientShape,
  { base, school: find, docsUrl, session, integrations, slug }: ClientArguments,
  add: (metadata: object) => Promise<HttpResponse>,
): Promise<{ finding: Finding; sender?: Sender }> {
  const { oauth } = session.settings().config
  const school: School = await find()
  if (!app) {
    const found = integrations.flatMap(({ client_id: clientId, redirect_uris: uris }) =>
      uris.filter((uri) => uri.startsWith('https:')).map((redirectUri) => ({ clientId, redirectUri })),
    )[0]
    if (found) return { finding: passed(`sent as the integration ${found.clientId}`), sender: found }
    return {
      finding: warned(
        `${name} is a web service, and the school has no integration with an https redirect URI`,
        `Add one: schoolgate integrations add (schools/${slug}.yaml). The other checks use a temporary client.`,
      ),
    }
  }
  const rules = {
    registration: registrationRules(oauth, { docsUrl, issuer: school.issuer }),
    documents: documentRules(oauth),
    offeredIds: [],
    integrations,
  }
  const access = appAccess(app, rules)
  const [redirectUri = ''] = app.uses
  if (access.way === 'document')
    return {
      finding: passed(`the school accepts its description on ${access.host}`),
      sender: { clientId: String(app.document?.client_id), redirectUri },
    }
  if (access.way === 'integration')
    return { finding: passed(`sent as the integration ${access.clientId}`), sender: { clientId: access.clientId, redirectUri } }
  if (access.way === 'none') return { finding: failed(`${app.name} cannot sign people in at ${base}`, fixOf(access.request, slug)) }
  const registered = await add(app.registration)
  const clientId = registered.json?.client_id
  if (registered.status !== 201 || typeof clientId !== 'string') return { finding: refusalOf(registered) }
  return { finding: passed('registers itself'), sender: { clientId, redirectUri: app.registration.redirect_uris[0] ?? redirectUri } }
}

function fixOf({ loopbackHosts, trustedHost, integration }: AppRequest, slug: string): string {
  const ways = [
    ...(trustedHost === undefined ? [] : [`add ${trustedHost} to client_metadata_documents.trusted_hosts in oauth.yaml`]),
    ...(loopbackHosts.length === 0 ? [] : [`add ${loopbackHosts.join(' and ')} to registration.loopback_hosts in oauth.yaml`]),
    `add an integration with ${integration.redirect_uris.join(' and ')} to schools/${slug}.yaml`,
  ]
  const text = ways.join(', or ')
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

async function checkAuthorization(base: string, { clientId, redirectUri }: Sender, own: readonly [string, string][]): Promise<Finding> {
  const parameters = new URLSearchParams({
    ...{ response_type: 'code', client_id: clientId, redirect_uri: redirectUri, state: 'a-state' },
    ...{ code_challenge: verifier, code_challenge_method: 'S256', ...Object.fromEntries(own) },
  })
  const { status, html, leftFor } = await createBrowser(patiently).open(`${base}/oauth/authorize?${parameters}`)
  if (status === 429) return limited
  if (!leftFor && status === 200 && html.includes('<form')) return passed('leads to the sign-in page')
  const [error, description] = leftFor
    ? ['error', 'error_description'].map((name) => leftFor.searchParams.get(name))
    : [/^.*error=(\S+)$/m, /^.*error_description=(.+)$/m].map((pattern) => pattern.exec(html)?.[1])
  return failed(
    `the request ends with ${status} ${error ?? ''}: ${description ?? 'no reason'}`,
    error === 'unsupported_response_mode'
      ? 'Use an https redirect URI, or response_mode=query in the client.'
      : 'Change what the reason names.',
  )
}
