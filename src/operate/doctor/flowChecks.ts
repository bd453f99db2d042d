import { createHash } from 'node:crypto'
import { probeHeader, signProbe } from '../../base/http/probe.ts'
import { newId, newTemporaryId } from '../../base/ids.ts'
import { randomToken } from '../../base/keyring.ts'
import type { School } from '../../base/school.ts'
import { inSchool } from '../../database/school/inSchool.ts'
import { deleteClient } from '../../database/tables/clients.ts'
import { scopeName } from '../../engine/declare/area.ts'
import { hashPassword } from '../../identity/accounts/password.ts'
import { knownApps } from '../../identity/apps/apps.ts'
import { registrationError } from '../../identity/clients/registrationError.ts'
import { endClient, endGrant } from '../../identity/oidc/stores.ts'
import { account } from '../../school/account/account.ts'
import { eraseAccount } from '../../school/students/eraseAccount.ts'
import type { Session } from '../cli/session.ts'
import { registrationRules } from '../compose/clients.ts'
import { type Check, type Finding, failed, passed, skipped } from './check.ts'
import { type HttpResponse, sendRequest } from './sendRequest.ts'
import { createBrowser } from './signIn.ts'
import { checkSignOut } from './signOutCheck.ts'

export interface FlowArguments {
  base: string
  /** Returns the school. It must have a row. */
  school(): Promise<School>
  docsUrl: string
  session: Session
}

const gateway = 'Compare the gateway with deploy/nginx.conf or deploy/Caddyfile'
const redirectUri = 'http://127.0.0.1:53682/callback'

/** Returns the checks that create something: registrations and a sign-in. What they create is removed when they end. */
export const flowChecks = (args: FlowArguments): Check[] => [
  { id: 'registration', run: () => checkRegistration(args) },
  { id: 'sign_in', run: () => checkSignIn(args) },
  { id: 'sign_out', run: () => checkSignOut(args) },
]

/** Registers a temporary client: the service sends no events about it to receivers of webhooks. */
export const register = (base: string, session: Session, metadata: object, send = sendRequest): Promise<HttpResponse> => {
  const signed = signProbe((text) => session.keyring().sign('probes', text), 'temporary')
  const headers = { 'content-type': 'application/json', [probeHeader]: signed }
  return send(`${base}/api/oauth/register`, { method: 'POST', headers, body: JSON.stringify(metadata) })
}

/** Sends the registrations of the known apps, and compares the answers with the rules of the configuration. */
async function checkRegistration({ base, school: find, docsUrl, session }: FlowArguments): Promise<Finding> {
  const school = await find()
  const rules = registrationRules(session.settings().config.oauth, { docsUrl, issuer: school.issuer })
  if (!rules) return skipped('registration is off in oauth.yaml')
  const [made, wrong, accepted]: [string[], string[], string[]] = [[], [], []]
  try {
    for (const { name, registration } of knownApps) {
      const { status, json } = await register(base, session, registration)
      if (status === 429) return skipped('the limit of registrations for this address is reached: try again in an hour')
      if (typeof json?.client_id === 'string') made.push(json.client_id)
      const refusal = registrationError({ ...registration }, rules)
      const isAsExpected = refusal ? status === 400 && json?.error === refusal.error : status === 201
      if (!isAsExpected) wrong.push(`${name} gets ${status}`)
      else if (!refusal) accepted.push(name)
    }
  } finally {
    await removeClients(session, school, made)
  }
  if (wrong.length > 0)
    return failed(
      wrong.join(', '),
      `${gateway}: POST /api/oauth/register must reach the service with its body. If it does, reload the service: it may have another oauth.yaml.`,
    )
  return passed(`${knownApps.length} apps; ${accepted.join(', ')} can register themselves`)
}

/** Signs a temporary person in with a temporary client, and uses, refreshes and revokes the token. */
async function checkSignIn({ base, school: find, session }: FlowArguments): Promise<Finding> {
  const school = await find()
  const password = randomToken(128)
  const email = `doctor-${newId()}@doctor.invalid`
  const accountId = newTemporaryId()
  const passwordHash = await hashPassword(password)
  const row = { school_id: school.id, id: accountId, email, name: 'Schoolgate doctor', email_verified: true, password_hash: passwordHash }
  await session.change(async ({ writer }) => void (await writer.insertInto('account').values(row).execute()))
  const made: string[] = []
  try {
    return await signIn(base, session, { email, password, onClient: (id) => void made.push(id) })
  } finally {
    await removeClients(session, school, made)
    await session.change(async ({ writer, stores }) => {
      const own = await stores()
      await eraseAccount(inSchool(writer, school.id), {
        accountId,
        endGrant: (_writer, grant) => endGrant(own, grant),
      })
    })
  }
}

interface Credentials {
  email: string
  password: string
  onClient(id: string): void
}

async function signIn(base: string, session: Session, { email, password, onClient }: Credentials): Promise<Finding> {
  const step = (name: string, fix = `${gateway}: cookies, forms and redirects below /oauth must pass unchanged.`, detail = ''): Finding =>
    failed(`the flow ends at ${name}${detail && `: ${detail}`}`, fix)
  const registered = await register(base, session, {
    client_name: 'Schoolgate doctor',
    redirect_uris: [redirectUri],
    token_endpoint_auth_method: 'none',
  })
  const clientId = registered.json?.client_id
  if (registered.status === 429) return skipped('the limit of registrations for this address is reached: try again in an hour')
  if (typeof clientId !== 'string') return step('the registration', undefined, `status ${registered.status}`)
  onClient(clientId)
  const verifier = randomToken(256)
  const parameters = {
    ...{
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      scope: `openid ${scopeName(account.area, 'read')}`,
      state: 'a/b c',
    },
    ...{ code_challenge: createHash('sha256').update(verifier).digest('base64url'), code_challenge_method: 'S256' },
  }
  const browser = createBrowser()
  let page = await browser.open(`${base}/oauth/authorize?${new URLSearchParams(parameters)}`)
  if (!/type="password"/.test(page.html)) return step('the sign-in page', undefined, `status ${page.status}`)
  page = await browser.submit(page, /sign-in$/, { email, password })
  if (!page.leftFor && /type="password"/.test(page.html))
    return step('the sign-in', `${gateway}: it must keep Set-Cookie and Cookie, and pass on Origin.`, `status ${page.status}`)
  if (!page.leftFor) page = await browser.submit(page, /consent$/)
  const { leftFor } = page
  if (!leftFor?.href.startsWith(redirectUri))
    return step('the redirect to the app', undefined, leftFor ? leftFor.origin + leftFor.pathname : `status ${page.status}`)
  const [code, state, issuer] = ['code', 'state', 'iss'].map((name) => leftFor.searchParams.get(name))
  if (!code || state !== 'a/b c' || issuer !== base)
    return step('the redirect to the app', `${gateway}: it may not change the query of Location.`, 'code, state or iss is wrong')

  const post = (path: string, form: Record<string, string>): Promise<HttpResponse> =>
    sendRequest(`${base}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: String(new URLSearchParams({ client_id: clientId, ...form })),
    })
  const withToken = (path: string, token: unknown): Promise<HttpResponse> =>
    sendRequest(`${base}${path}`, { headers: { authorization: `Bearer ${token}` } })
  const tokens = await post('/api/oauth/token', {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  })
  if (tokens.status !== 200) return step('the token endpoint', undefined, `status ${tokens.status} ${String(tokens.json?.error ?? '')}`)
  const authorization = `${gateway}: it must pass Authorization on.`
  for (const path of ['/api/v1/account', '/api/oauth/userinfo']) {
    const { status } = await withToken(path, tokens.json?.access_token)
    if (status !== 200) return step(`${path} with the token`, authorization, `status ${status}`)
  }
  const refreshed = await post('/api/oauth/token', { grant_type: 'refresh_token', refresh_token: String(tokens.json?.refresh_token) })
  if (refreshed.status !== 200) return step('the refresh', undefined, `status ${refreshed.status}`)
  await post('/api/oauth/revoke', { token: String(refreshed.json?.refresh_token) })
  const { status } = await withToken('/api/v1/account', refreshed.json?.access_token)
  if (status !== 401)
    return step('the revocation', `${gateway}: it may not store responses of the API.`, `the revoked token gets ${status}`)
  return passed('registration, sign-in, consent, code, token, account, userinfo, refresh, revocation')
}

export async function removeClients(session: Session, { id: schoolId }: School, clientIds: readonly string[]): Promise<void> {
  if (clientIds.length === 0) return
  await session.change(async ({ writer, stores }) => {
    const own = await stores()
    for (const id of clientIds) {
      await endClient(own, schoolId, id)
      await deleteClient(writer, schoolId, id)
    }
  })
}
