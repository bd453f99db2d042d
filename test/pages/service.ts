import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import mount from 'koa-mount'
import Provider, { type Adapter, type AdapterPayload, type ClientMetadata } from 'oidc-provider'
import type { Role } from '../../src/base/caller.ts'
import { newId } from '../../src/base/ids.ts'
import { createKeyring } from '../../src/base/keyring.ts'
import { createLog } from '../../src/base/log/log.ts'
import type { School } from '../../src/base/school.ts'
import { languages } from '../../src/base/text/languages.ts'
import { oauthSchema } from '../../src/config/oauth.ts'
import { createStatementCache } from '../../src/database/connection/statementCache.ts'
import { inSchool, schoolDatabase } from '../../src/database/school/inSchool.ts'
import type { AuditEntry } from '../../src/database/tables/audit.ts'
import { hashPassword } from '../../src/identity/accounts/password.ts'
import { createPasswordGate } from '../../src/identity/accounts/passwordGate.ts'
import { findPasswordVersion } from '../../src/identity/accounts/passwordVersion.ts'
import { subjectOf } from '../../src/identity/oidc/claims.ts'
import { cookieKeys, cookies } from '../../src/identity/oidc/cookies.ts'
import { endpoints } from '../../src/identity/oidc/endpoints.ts'
import { interactions } from '../../src/identity/oidc/interactions.ts'
import { newRequestFacts } from '../../src/identity/oidc/requestFacts.ts'
import { resourceIndicators } from '../../src/identity/oidc/resourceIndicators.ts'
import { createStores } from '../../src/operate/serve/open.ts'
import { createAccountPages } from '../../src/pages/account/accountPages.ts'
import type { ConsentScope } from '../../src/pages/consentScope.ts'
import { createPages } from '../../src/pages/createPages.ts'
import { createEnginePages } from '../../src/pages/enginePages.ts'
import { createKnownBrowsers } from '../../src/pages/knownBrowser.ts'
import { rememberLanguage } from '../../src/pages/language.ts'
import { createPageContexts } from '../../src/pages/pageContext.ts'
import type { PageServices, SignInLimits } from '../../src/pages/pagesArguments.ts'
import type { SignInStep } from '../../src/pages/steps/signInStep.ts'
import { signInSteps } from '../../src/pages/steps/signInSteps.ts'
import { pageBranding } from '../../src/school/settings/publicAppearance.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'
import { addPerson, password } from '../support/service.ts'

export { password }

/** A catalogue small enough to read. */
export const catalogue: ConsentScope[] = [
  scope('openid', 'identity', 'Know that it is you', 'account', 'Your account'),
  scope('profile', 'identity', 'See your name', 'account', 'Your account'),
  scope('courses:read', 'read', 'See the courses', 'courses', 'Courses'),
  scope('courses:write', 'write', 'Add and change courses', 'courses', 'Courses'),
  scope('orders:read', 'read', 'See all orders', 'orders', 'Orders'),
]

function scope(name: string, verb: ConsentScope['verb'], sentence: string, area: string, areaTitle: string): ConsentScope {
  return { name, verb, sentences: { learner: sentence }, othersData: [], area, areaTitle }
}

const grantable: Record<Role, ReadonlySet<string>> = {
  owner: new Set(catalogue.map(({ name }) => name)),
  admin: new Set(catalogue.map(({ name }) => name)),
  lecturer: new Set(['openid', 'profile', 'courses:read', 'courses:write']),
  learner: new Set(['openid', 'profile', 'courses:read']),
}

export interface TestService {
  base: string
  school: School
  provider: Provider
  database: TestDatabase['database']
  audits: AuditEntry[]
  attempts: { allowed: boolean; seen: string[] }
  addPerson(email: string, role: Role): Promise<{ accountId: string; subject: string }>
  addClient(metadata: Partial<ClientMetadata> & { client_id: string }, registeredVia?: 'self' | 'integration'): void
  removeClient(clientId: string): void
  /** The stored sessions of browsers. */
  sessions(): AdapterPayload[]
  /** An authorization request; `change` replaces parameters. */
  authorizeUrl(change?: Record<string, string>): string
  /** Redeems a code at the real token endpoint. */
  redeem(code: string, change?: Record<string, string>): Promise<{ status: number; body: Record<string, unknown> }>
  close(): Promise<void>
}

export const redirectUri = 'http://127.0.0.1:49152/callback'
const verifier = 'a-verifier-of-at-least-forty-three-characters-for-tests'
const challenge = 'dq7CBFBXzy4-EIpmtGrH2axxwd26jovEienBZnL8Wqc'
const signingKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })

/** The engine behind these pages, over HTTP, with people in a real database. `moreSteps` follow the steps of the product. */
export async function startService(moreSteps: readonly SignInStep[] = []): Promise<TestService> {
  const { database, drop } = await openTestDatabase()
  const keyring = createKeyring(['a root secret for tests'])
  const app = new Koa()
  app.keys = cookieKeys(keyring)
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const school: School = { id: newId(), slug: 'demo', issuer: base }
  await database.sql.query(
    `INSERT INTO school (id, slug, name, locale, supported_locales, time_zone, currency) VALUES ($1, 'demo', 'Demo <School>', 'en', ARRAY['en'], 'UTC', 'EUR')`,
    [school.id],
  )

  const store = new Map<string, AdapterPayload>()
  const { clients } = newRequestFacts()
  const audits: AuditEntry[] = []
  const attempts = { allowed: true, seen: [] as string[] }
  const statements = createStatementCache()
  const branding = () => pageBranding(inSchool(database.kysely, school.id), statements)
  const pageContext = createPageContexts({
    branding,
    languages: () => languages,
    hasPages: () => true,
  })
  const enginePages = createEnginePages({ pageContext, findRemovedClient: async () => undefined, isDisabledClient: async () => false })
  const provider = new Provider(base, {
    adapter: (name) => memoryAdapter(name, store),
    findAccount: (_ctx, subject) => ({ accountId: subject, claims: () => ({ sub: subject }) }),
    scopes: catalogue.map(({ name }) => name),
    clientAuthMethods: ['none'],
    jwks: {
      keys: [{ ...signingKey, use: 'sig', kid: 'test' }] as never,
    },
    ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 3600, IdToken: 600, Interaction: 600, Session: 3600 },
    issueRefreshToken: () => false,
    routes: Object.fromEntries(Object.entries(endpoints).map(([name, { path }]) => [name, path])),
    renderError: enginePages.renderError,
    ...cookies({ issuer: base, keyring }),
    ...interactions({ isRequired: async () => false, reachable: async () => [] }, async () => undefined),
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: enginePages.logoutSource,
        postLogoutSuccessSource: enginePages.postLogoutSuccessSource,
      },
      resourceIndicators: resourceIndicators([
        { identifier: base, scopes: catalogue.map(({ name }) => name) },
        { identifier: `${base}/mcp`, scopes: ['openid', 'courses:read', 'courses:write'] },
      ]),
    },
  })

  const gate = createPasswordGate({ concurrency: 2, queue: 20 })
  const hash = hashPassword(password)
  const refused = async () => ({ isAllowed: false, retryAfterSeconds: 120 }) as const
  const allowed = async () => ({ allowed: true, retryAfterSeconds: 0 })
  const signIn: SignInLimits = {
    async attempt({ email, address }, check) {
      attempts.seen.push(`${email} from ${address}`)
      if (!attempts.allowed) return { outcome: 'limited', retryAfterSeconds: 120 }
      const result = await check((verify) => gate({ network: address, account: email ?? '', isKnown: false }, verify))
      return result === undefined ? { outcome: 'failed' } : { outcome: 'passed', result }
    },
    newPassword: (_owner, work) => work(),
    beginPasskey: refused,
    beginCode: refused,
    passwordChanged: async () => {},
  }
  const databaseOf = (schoolId: string) => schoolDatabase(database, schoolId, 'person')
  const log = createLog('silent')
  const oauth = oauthSchema(catalogue.map(({ name }) => name)).parse({ consent: { ask_first: 'off', default_duration: 'until_removed' } })
  const services: PageServices = {
    ...{ databaseOf, keyring, log, pageContext, scopes: catalogue },
    stores: createStores({ database, redis: undefined, oauth, log }),
    oauth: () => oauth,
    provider: async () => provider,
    exchange: () => ({ isFirstGrant: true, facts: { ...newRequestFacts(), clients } }),
    protectedNames: async () => ['Claude', 'Lanternfield', 'Art'],
    grantable: (role) => grantable[role],
    limits: { signIn, account: { signUp: allowed, passwordReset: allowed, message: allowed, comment: allowed } },
    secondFactors: { ruleOf: () => 'optional', isRequired: async () => false },
    knownBrowsers: createKnownBrowsers({
      keyring,
      days: () => 180,
      findAccount: (schoolId, email) => findPasswordVersion(inSchool(database.kysely, schoolId), email),
    }),
    notify: async () => undefined,
    audit: async (entry) => void audits.push(entry),
    counted(entry) {
      audits.push(entry)
      return entry
    },
    steps: (given) => [...signInSteps(given), ...moreSteps],
  }
  const unused = async (): Promise<never> => {
    throw new Error('no test of these pages needs this')
  }
  const pages = createPages({ ...services, theme: async () => (await branding()).theme, homeFacts: async () => ({ tagline: null }) })
  const accountPages = createAccountPages({
    ...services,
    checkNewPassword: unused,
    send: unused,
    defer: unused,
    proposals: { show: unused, merge: unused },
    perform: unused,
    list: unused,
    inputOf: () => ({ parameters: [], fields: {} }),
    managed: new Map(),
    orderAddress: () => undefined,
    describe: () => undefined,
    describeRequest: () => undefined,
    readerOf: () => undefined,
    approvals: { seal: (text) => text, open: () => undefined },
    undo: { open: () => undefined },
    apps: { outgoingDelay: () => 0, limitsLeft: async () => [], offered: () => [] },
    hasPages: () => false,
    checkoutAddress: () => undefined,
    languages: () => languages,
    sessions: { list: unused, end: unused },
    exportArchive: unused,
  })
  const readLanguage = rememberLanguage(() => true)
  app.use((ctx, next) => {
    Object.assign(ctx.state, { school, requestId: 'req_test', address: '127.0.0.1' })
    readLanguage(ctx)
    return next()
  })
  app.use(pages.routes())
  app.use(accountPages.routes())
  app.use(mount('/', provider))
  server.on('request', app.callback())

  return {
    base,
    school,
    provider,
    database,
    audits,
    attempts,
    async addPerson(email, role) {
      const { accountId } = await addPerson(database, school.id, email, role)
      // A check takes as long as in production, so that attempts wait for each other.
      await database.kysely
        .updateTable('account')
        .set({ password_hash: await hash })
        .where('id', '=', accountId)
        .execute()
      return { accountId, subject: subjectOf(accountId) }
    },
    addClient(metadata, registeredVia = 'self') {
      const via = registeredVia === 'integration' ? 'file' : 'self'
      const known = { metadata, created_at: new Date('2026-03-05T12:00:00Z'), agreed_at: null, app_rules: null }
      clients.set(metadata.client_id, Promise.resolve({ ...known, registered_via: via }))
      store.set(`Client ${metadata.client_id}`, {
        application_type: 'native',
        redirect_uris: [redirectUri],
        response_types: ['code'],
        grant_types: ['authorization_code'],
        token_endpoint_auth_method: 'none',
        ...metadata,
      } as AdapterPayload)
    },
    sessions: () => [...store].flatMap(([key, payload]) => (key.startsWith('Session ') ? [payload] : [])),
    removeClient: (clientId) => void store.delete(`Client ${clientId}`),
    authorizeUrl(change = {}) {
      const parameters = {
        response_type: 'code',
        client_id: 'app',
        redirect_uri: redirectUri,
        scope: catalogue.map(({ name }) => name).join(' '),
        state: 'state-of-the-client',
        code_challenge: challenge,
        code_challenge_method: 'S256',
      }
      return `${base}/oauth/authorize?${new URLSearchParams({ ...parameters, ...change })}`
    },
    async redeem(code, change = {}) {
      const form = {
        grant_type: 'authorization_code',
        code,
        client_id: 'app',
        redirect_uri: redirectUri,
        code_verifier: verifier,
        ...change,
      }
      const response = await fetch(`${base}/api/oauth/token`, { method: 'POST', body: new URLSearchParams(form) })
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    },
    close: () => close(server, drop),
  }
}

async function close(server: Server, drop: () => Promise<void>): Promise<void> {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
  await drop()
}

function memoryAdapter(name: string, store: Map<string, AdapterPayload>): Adapter {
  const key = (id: string): string => `${name} ${id}`
  return {
    async upsert(id, payload) {
      store.set(key(id), structuredClone(payload))
    },
    async find(id) {
      return structuredClone(store.get(key(id)))
    },
    async findByUid(uid) {
      return structuredClone([...store].find(([id, payload]) => id.startsWith(`${name} `) && payload.uid === uid)?.[1])
    },
    async findByUserCode() {
      return undefined
    },
    async consume(id) {
      const payload = store.get(key(id))
      if (payload) payload.consumed = Math.floor(Date.now() / 1000)
    },
    async destroy(id) {
      store.delete(key(id))
    },
    async revokeByGrantId(grantId) {
      for (const [id, payload] of store) if (id.startsWith(`${name} `) && payload.grantId === grantId) store.delete(id)
    },
  }
}
