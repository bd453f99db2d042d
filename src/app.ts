import Koa, { type Middleware } from 'koa'
import { serveAuthMd } from './agents/authMd.ts'
import { protectedResources } from './agents/protectedResource.ts'
import { createOpenApi } from './api/openApi.ts'
import { createApi } from './api/routes.ts'
import type { Config } from './config/load.ts'
import { findPerson } from './domain/callers.ts'
import { hashPassword } from './domain/password.ts'
import { createPasswordGate } from './domain/passwordGate.ts'
import { createSignIn } from './domain/signIn.ts'
import { accessLog } from './http/accessLog.ts'
import { cors } from './http/cors.ts'
import { addressLimit, callerAddress, resolveSchool } from './http/door.ts'
import { createMetrics, type Metrics } from './http/metrics.ts'
import { renderProblems } from './http/problems.ts'
import { requestId } from './http/requestId.ts'
import { originForm } from './http/requestTarget.ts'
import { securityHeaders } from './http/securityHeaders.ts'
import type { RequestState } from './http/state.ts'
import type { Job } from './jobs/schedule.ts'
import { sweepJobs } from './jobs/sweep.ts'
import { createErrands } from './lib/errands.ts'
import type { Keyring } from './lib/keyring.ts'
import type { Log } from './lib/log.ts'
import { createMail } from './mail/mail.ts'
import type { Post } from './mail/post.ts'
import { createAuthenticate } from './oidc/bearer.ts'
import { cookieKeys } from './oidc/cookies.ts'
import { addressesOf } from './oidc/endpoints.ts'
import { createEngines } from './oidc/engines.ts'
import { createExchanges } from './oidc/exchange.ts'
import type { IntegrationChanges } from './oidc/integrations.ts'
import { metadataPaths } from './oidc/metadata.ts'
import { createService } from './oidc/service.ts'
import { endGrant } from './oidc/stores.ts'
import { createAccountPages } from './pages/account/accountPages.ts'
import { createEnginePages } from './pages/enginePages.ts'
import { createPages } from './pages/pages.ts'
import type { Role } from './policy/caller.ts'
import { grantableScopes } from './policy/grantable.ts'
import type { School } from './policy/school.ts'
import type { SchoolDirectory } from './policy/schoolDirectory.ts'
import { operationsIn, resources, scopeCatalogue } from './resources/index.ts'
import { type AuditEntry, recordAudit } from './store/audit.ts'
import type { Database } from './store/database.ts'
import type { RedisConnection } from './store/redis.ts'
import { schoolName } from './store/schools.ts'
import { describeClient, registrationRules } from './wiring/clients.ts'
import { createLimits, limited } from './wiring/limits.ts'
import { sendAfterwards } from './wiring/messages.ts'
import { createStores } from './wiring/open.ts'
import { openSchools, type SchoolEntry, syncAllIntegrations } from './wiring/schools.ts'

export interface AppArguments {
  config: Config
  database: Database
  /** Sessions, codes, access tokens and rate limits live here when there is one, else in the database. */
  redis?: RedisConnection | undefined
  keyring: Keyring
  log: Log
  /** Where messages to people go, and the address that they come from. */
  mail: { post: Post; from?: string | undefined }
  /** Off only where every issuer is loopback. */
  isLimited: boolean
}

export interface App {
  koa: Koa
  jobs: Job[]
  metrics: Metrics
  schools: SchoolDirectory<SchoolEntry>
  /** Takes over what can change while running: schools, integrations, roles, policies, lifetimes. Nobody is signed out. */
  reload(config: Config): Promise<Record<string, IntegrationChanges>>
  /** Once everything that was left for after an answer is done. */
  settled(): Promise<void>
}

/** Puts the whole service together from its arguments. Two of them live in one process without knowing of each other. */
export async function createApp(args: AppArguments): Promise<App> {
  const { database, keyring, log } = args
  let { config } = args
  let schools = await openSchools(database, config)
  const stores = createStores({ sql: database.sql, redis: args.redis, oauth: config.oauth, log })
  await syncAllIntegrations(stores, schools)

  const metrics = createMetrics()
  const exchanges = createExchanges()
  const scopes = scopeCatalogue(resources)
  const scopeNames = scopes.map((scope) => scope.name)
  const nameOf = (school: School): Promise<string> => schoolName(database.sql, school.id)
  const audit = async (entries: AuditEntry[]): Promise<void> => {
    for (const { event } of entries) metrics.count(event)
    await recordAudit(database.sql, entries)
  }
  const limits = createLimits(args)
  const grantable = (role: Role): ReadonlySet<string> => grantableScopes(role, config.roles)
  const gate = createPasswordGate(config.server.passwords)
  const checkPassword = createSignIn({ database, gate })
  const errands = createErrands({ log })
  const letter = createMail({ ...args.mail, schoolName: nameOf })
  const personNow = (schoolId: string, accountId: string) => findPerson(database.sql, schoolId, accountId)

  const engines = createEngines({
    database,
    stores,
    exchanges,
    keyring,
    log,
    scopes: scopeNames,
    pages: createEnginePages({ schoolName: nameOf }),
    settings: () => ({ oauth: config.oauth, resourceServers: config.resources.resource_servers }),
    docsUrl: (school) => schools.byId(school.id).config.docs_url,
  })
  const runtime: (ctx: Koa.Context) => ReturnType<typeof engines.get> = (ctx) => engines.get(ctx.state.school)

  const pages = createPages({
    database,
    keyring,
    log,
    provider: async (ctx) => (await runtime(ctx)).provider,
    scopes,
    grantable,
    findPerson: personNow,
    limits: limits.signIn,
    clients: { describe: (schoolId, clientId) => describeClient(database.sql, schoolId, clientId) },
    schoolName: nameOf,
    audit: (entry) => audit([entry]),
    checkPassword,
  })
  const accountPages = createAccountPages({
    database,
    keyring,
    log,
    provider: async (ctx) => (await runtime(ctx)).provider,
    scopes,
    limits,
    schoolName: nameOf,
    audit: (entry) => audit([entry]),
    checkPassword,
    hashPassword: (password) => gate(() => hashPassword(password)),
    sessionSeconds: () => config.oauth.lifetimes.session_days * 86_400,
    send: sendAfterwards({ letter, errands, log }),
    errands,
    endGrant: (schoolId, grantId) => endGrant(stores, schoolId, grantId),
    removeSessions: (schoolId, accountId) => stores.ephemeral.destroyOfAccount(schoolId, 'Session', accountId),
  })
  const service = createService({
    runtimes: engines,
    stores,
    exchanges,
    scopes: scopeNames,
    limiter: limits.limiter,
    policies: limits.policies,
    refreshWindowSeconds: () => config.oauth.refresh_window_seconds,
    registrationRules: (school) => registrationRules(config.oauth, schools.byId(school.id).config.docs_url),
    findPerson: personNow,
    grantable,
    recordAudit: audit,
    count: metrics.count,
  })
  const api = createApi({
    operations: operationsIn(resources),
    database: database.kysely,
    store: database,
    signer: { sign: (text) => keyring.sign('cursors', text), verify: (text, signature) => keyring.verify('cursors', text, signature) },
    authenticate: limited(createAuthenticate({ runtime, findPerson: personNow, grantable }), limits),
  })
  const walkthrough = serveAuthMd(async (school) => ({
    name: await nameOf(school),
    issuer: school.issuer,
    oauth: config.oauth,
    scopes,
    addresses: { ...addressesOf(school.issuer), metadata: school.issuer + metadataPaths[0] },
  }))
  const documents = protectedResources(async (school) => ({
    name: await nameOf(school),
    issuer: school.issuer,
    docsUrl: schools.byId(school.id).config.docs_url,
    baselineScopes: config.oauth.baseline_scopes,
  }))

  const koa = new Koa()
  koa.keys = cookieKeys(keyring)
  // The door below has replaced every forwarded header by what the configuration says.
  koa.proxy = true
  const road: Middleware<RequestState>[] = [
    requestId(),
    originForm(),
    callerAddress(config.server.trusted_proxies),
    accessLog(log),
    metrics.middleware,
    securityHeaders(),
    cors({ allowedOrigins: config.server.cors.allowed_origins, isPage: (path) => /^\/(oauth|account)(\/|$)/i.test(path) }),
    renderProblems(log),
    addressLimit(),
    resolveSchool((host) => schools.byHost(host)),
    documents,
    walkthrough,
    createOpenApi({ operations: operationsIn(resources), scopes }),
    service,
    pages.routes() as Middleware<RequestState>,
    accountPages.routes() as Middleware<RequestState>,
    api.routes() as Middleware<RequestState>,
  ]
  for (const step of road) koa.use(step)
  koa.on('error', (error: Error) => log.error({ err: error }, 'an answer broke off'))

  return {
    koa,
    metrics,
    jobs: sweepJobs({ database, artifacts: stores.durable, registration: () => config.oauth.registration }),
    get schools() {
      return schools
    },
    async reload(next) {
      const opened = await openSchools(database, next)
      const changes = await syncAllIntegrations(stores, opened)
      ;[config, schools] = [next, opened]
      engines.clear()
      return changes
    },
    settled: () => errands.settled(),
  }
}
