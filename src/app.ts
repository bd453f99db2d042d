import Koa, { type Middleware } from 'koa'
import { protectedResources } from './agents/protectedResource.ts'
import { serveReference } from './agents/reference.ts'
import type { SelfCheck } from './agents/selfCheck.ts'
import { createOpenApi } from './api/openApi.ts'
import { createApi } from './api/routes.ts'
import type { Config } from './config/load.ts'
import { errorsUrl } from './config/schools.ts'
import { findPerson } from './domain/accounts/findPerson.ts'
import { hashPassword } from './domain/accounts/password.ts'
import { createPasswordGate } from './domain/accounts/passwordGate.ts'
import { createSignIn } from './domain/accounts/signIn.ts'
import { schoolLook } from './domain/school/appearance.ts'
import { isUpload } from './files/uploadRoute.ts'
import { apiPath } from './framework/declare/operations.ts'
import type { CursorSigner } from './framework/read/cursor.ts'
import { accessLog } from './http/accessLog.ts'
import { isClientAbort } from './http/clientAbort.ts'
import { identityBodies } from './http/contentEncoding.ts'
import { cors } from './http/cors.ts'
import { type Ask, exceptOwnRequests, inProcess, markOwnRequests } from './http/inProcess.ts'
import { createMetrics, type Metrics } from './http/metrics.ts'
import { renderProblems } from './http/problems.ts'
import { requestId } from './http/requestId.ts'
import type { RequestState } from './http/requestState.ts'
import { originForm } from './http/requestTarget.ts'
import { arriveWithin } from './http/requestTimeout.ts'
import { securityHeaders } from './http/securityHeaders.ts'
import { addressLimit, callerAddress, resolveSchool } from './http/tenant.ts'
import { fileJobs } from './jobs/files.ts'
import { learningJobs } from './jobs/learning.ts'
import { orderJobs } from './jobs/orders.ts'
import { postJobs } from './jobs/posts.ts'
import { rollupJobs } from './jobs/rollups.ts'
import type { Job } from './jobs/schedule.ts'
import { subscriptionJobs } from './jobs/subscriptions.ts'
import { sweepJobs } from './jobs/sweep.ts'
import { createBackgroundTasks } from './lib/backgroundTasks.ts'
import type { Keyring } from './lib/keyring.ts'
import type { Log } from './lib/log.ts'
import { createMail } from './mail/mail.ts'
import type { MailTransport } from './mail/transport.ts'
import { pricingDocument } from './mcp/catalogueResources.ts'
import { createMcp } from './mcp/createMcp.ts'
import { createAuthenticate, type FindPerson } from './oidc/bearer.ts'
import { cookieKeys } from './oidc/cookies.ts'
import { isDisabledClient } from './oidc/disabledClients.ts'
import { withoutInteractionId } from './oidc/endpoints.ts'
import { createEngines } from './oidc/engines.ts'
import { createExchanges } from './oidc/engineTransaction.ts'
import { createService } from './oidc/service.ts'
import { endGrant } from './oidc/stores.ts'
import type { IntegrationChanges } from './oidc/syncIntegrations.ts'
import { createAccountPages } from './pages/account/accountPages.ts'
import { createPages } from './pages/createPages.ts'
import { createEnginePages } from './pages/enginePages.ts'
import { createKnownBrowsers } from './pages/knownBrowser.ts'
import { rememberLanguage } from './pages/language.ts'
import { createPageContexts } from './pages/pageContext.ts'
import { signInSteps } from './pages/steps/signInSteps.ts'
import type { Role } from './policy/caller.ts'
import { grantableScopes } from './policy/grantable.ts'
import type { School } from './policy/school.ts'
import type { SchoolDirectory } from './policy/schoolDirectory.ts'
import { operationsIn, resources, scopeCatalogue } from './resources/index.ts'
import { type AuditEntry, recordAudit } from './store/audit.ts'
import { findTombstone } from './store/clientTombstones.ts'
import type { Database } from './store/database.ts'
import type { FileStorage } from './store/fileStorage.ts'
import type { RedisConnection } from './store/redis.ts'
import { schoolContact, schoolFace } from './store/schools.ts'
import { describeClient, registrationRules } from './wiring/clients.ts'
import { createEnqueue } from './wiring/enqueue.ts'
import { createExternalServices, endGrantWithin } from './wiring/externalServices.ts'
import { createFiles } from './wiring/files.ts'
import { createStores } from './wiring/open.ts'
import { publicView } from './wiring/publicView.ts'
import { createLimits, limited } from './wiring/rateLimits.ts'
import { createSchoolDocuments } from './wiring/schoolDocuments.ts'
import { openSchools, type SchoolEntry, syncAllIntegrations } from './wiring/schools.ts'
import { createSchoolSelfCheck } from './wiring/selfCheck.ts'
import { sendInBackground } from './wiring/sendInBackground.ts'

export interface AppArguments {
  config: Config
  database: Database
  /** Sessions, codes, access tokens and rate limits live here when there is one, else in the database. */
  redis?: RedisConnection | undefined
  keyring: Keyring
  log: Log
  /** Where the bytes of files stand. */
  storage: FileStorage
  /** Where messages to people go, and the address that they come from. */
  mail: { transport: MailTransport; from?: string | undefined }
  /** Off only where every issuer is loopback. */
  isLimited: boolean
}

export interface App {
  koa: Koa
  jobs: Job[]
  metrics: Metrics
  schools: SchoolDirectory<SchoolEntry>
  /** Compares each school's documents with what the service does. The caller starts and stops it. */
  selfCheck: SelfCheck
  /** Takes over what can change while running: schools, integrations, roles, policies, lifetimes. Nobody is signed out. */
  reload(config: Config): Promise<Record<string, IntegrationChanges>>
  /** Once everything that was left for after an answer is done. */
  drained(): Promise<void>
}

const isPage = (path: string): boolean => /^\/(oauth|account)(\/|$)/i.test(path)

/** Puts the whole service together from its arguments. Two of them live in one process without knowing of each other. */
export async function createApp(args: AppArguments): Promise<App> {
  const { database, keyring, log } = args
  // The authorization server and the jobs have connections of their own, so that requests of the API cannot use them up.
  const [accounts, background] = [database.lane('authorization'), database.lane('background')]
  let { config } = args
  let schools = await openSchools(database, config)
  const stores = createStores({ sql: accounts.sql, redis: args.redis, oauth: config.oauth, log })
  await syncAllIntegrations(stores, schools)

  const metrics = createMetrics()
  const exchanges = createExchanges()
  const scopes = scopeCatalogue(resources)
  const scopeNames = scopes.map((scope) => scope.name)
  const face = (school: School) => schoolFace(accounts.sql, school.id)
  const look = (school: School) => schoolLook(accounts.kysely, school.id)
  const languages = (school: School) => schools.byId(school.id).config.languages
  const pageContext = createPageContexts({ face, look, languages })
  const protectedNames = async (school: School): Promise<readonly string[]> => [
    ...schools.byId(school.id).config.protected_client_names,
    (await face(school)).name,
  ]
  const audit = async (entries: AuditEntry[]): Promise<void> => {
    for (const { event } of entries) metrics.count(event)
    await recordAudit(accounts.sql, entries)
  }
  const limits = createLimits(args)
  const knownBrowsers = createKnownBrowsers({ keyring, days: () => config.server.known_browser_days })
  const grantable = (role: Role): ReadonlySet<string> => grantableScopes(role, config.roles)
  const operations = operationsIn(resources)
  const personIn =
    ({ kysely }: Database): FindPerson =>
    (schoolId, accountId, grantId) =>
      findPerson(kysely, schoolId, accountId, grantId)
  const signer: CursorSigner = {
    sign: (text) => keyring.sign('cursors', text),
    verify: (text, signature) => keyring.verify('cursors', text, signature),
  }
  const files = createFiles({
    failures: limits.badCredentials,
    database,
    storage: args.storage,
    keyring,
    limits: () => config.server.storage,
    operations,
    findPerson: personIn(database),
    signer,
    externalServices: () => externalServices,
  })
  const gate = createPasswordGate(config.server.passwords)
  const checkPassword = createSignIn({ database: accounts, gate })
  const backgroundTasks = createBackgroundTasks({ log })
  const email = createMail({ ...args.mail, face, languages })
  const enqueue = createEnqueue({ backgroundTasks, log })
  const send = sendInBackground({ email, enqueue })

  const enginePages = createEnginePages({
    pageContext,
    isDisabledClient: (school, clientId) => isDisabledClient(accounts.sql, school.id, clientId),
    findRemovedClient: (school, client) => findTombstone(accounts.sql, school.id, client),
  })
  const engines = createEngines({
    database: accounts,
    stores,
    exchanges,
    keyring,
    log,
    scopes: scopeNames,
    pages: enginePages,
    settings: () => ({ oauth: config.oauth, resourceServers: config.resources.resource_servers }),
    docsUrl: (school) => schools.byId(school.id).config.docs_url,
    languages,
  })
  const runtime: (ctx: Koa.Context) => ReturnType<typeof engines.get> = (ctx) => engines.get(ctx.state.school)

  const audited = (entry: AuditEntry): Promise<void> => audit([entry])
  const steps = signInSteps({
    database: accounts,
    scopes,
    grantable,
    findPerson: personIn(accounts),
    limits: limits.signIn,
    knownBrowsers,
    audit: audited,
    checkPassword,
  })
  const pageArguments = {
    database: accounts,
    keyring,
    log,
    provider: async (ctx: Koa.Context) => (await runtime(ctx)).provider,
    protectedNames,
    pageContext,
    audit: audited,
    steps,
  }
  const pages = createPages({
    ...pageArguments,
    clients: { describe: (schoolId, clientId) => describeClient(accounts.sql, schoolId, clientId) },
    look,
  })
  const accountPages = createAccountPages({
    ...pageArguments,
    scopes,
    limits,
    knownBrowsers,
    hashPassword: (password) => gate(() => hashPassword(password)),
    sessionSeconds: () => config.oauth.lifetimes.session_days * 86_400,
    send,
    backgroundTasks,
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
    badCredentials: limits.badCredentials,
    showProblem: enginePages.showProblem,
    refreshWindowSeconds: () => config.oauth.refresh_window_seconds,
    registrationRules: (school) => registrationRules(config.oauth, schools.byId(school.id).config.docs_url),
    findPerson: personIn(accounts),
    grantable,
    recordAudit: audit,
    legalLinks: (school) => documents.legalLinks(school),
    showManualCode: enginePages.showManualCode,
    count: metrics.count,
  })
  const externalServices = createExternalServices({
    ...{ stores, keyring, enqueue, email },
    files: files.externalServices,
    checkoutUrl: (school) => schools.byId(school.id).config.checkout_url,
  })
  const doors = { operations, database: database.kysely, store: database, signer, externalServices }
  const bearer = { runtime, findPerson: personIn(database), grantable }
  const api = createApi({ ...doors, authenticate: limited(createAuthenticate(bearer), limits) })
  const documents = createSchoolDocuments({
    ask: (address, request) => askSelf(address, request),
    config: () => config,
    schoolConfig: (school) => schools.byId(school.id).config,
    operations,
    scopes,
    view: (school) => publicView({ database: database.kysely, school, signer, externalServices }),
  })
  const mcp = createMcp({
    ...doors,
    documents: [pricingDocument(documents.pricing)],
    log,
    schoolName: async (school) => (await face(school)).name,
    authenticate: limited(createAuthenticate({ ...bearer, resourcePath: '/mcp' }), limits),
    allowedOrigins: () => config.server.cors.allowed_origins,
  })
  const resourceMetadata = protectedResources(async (school) => ({
    name: (await face(school)).name,
    issuer: school.issuer,
    docsUrl: schools.byId(school.id).config.docs_url,
    baselineScopes: config.oauth.baseline_scopes,
    legal: await documents.legalLinks(school),
  }))

  const road: Middleware<RequestState>[] = [
    markOwnRequests,
    requestId(),
    originForm(),
    arriveWithin(30, isUpload),
    callerAddress(config.server.trusted_proxies),
    exceptOwnRequests(accessLog(log, withoutInteractionId)),
    exceptOwnRequests(metrics.middleware),
    securityHeaders(),
    cors({ allowedOrigins: config.server.cors.allowed_origins, isPage }),
    renderProblems(log, (path, school) =>
      school && path.startsWith(`${apiPath}/`) ? errorsUrl(schools.byId(school.id).config) : undefined,
    ),
    addressLimit(),
    identityBodies(),
    resolveSchool((host) => schools.byHost(host)),
    rememberLanguage(isPage),
    files.downloads,
    files.uploads,
    resourceMetadata,
    documents.middleware,
    serveReference(async ({ id }) => (await schoolFace(database.sql, id)).name),
    createOpenApi({ operations, scopes, facts: ({ id }) => schoolContact(database.sql, id) }),
    service,
    pages.routes() as Middleware<RequestState>,
    accountPages.routes() as Middleware<RequestState>,
    api.routes() as Middleware<RequestState>,
    mcp,
  ]
  const koa = new Koa()
  koa.keys = cookieKeys(keyring)
  // The door below has replaced every forwarded header by what the configuration says.
  koa.proxy = true
  for (const step of road) koa.use(step)
  koa.on('error', (error: Error, ctx?: Koa.Context) => {
    if (isClientAbort(error, ctx)) log.debug({ request_id: ctx?.state.requestId }, 'client closed the connection')
    else log.error({ err: error, request_id: ctx?.state.requestId }, 'response failed')
  })
  const askSelf: Ask = inProcess(koa.callback())
  const selfCheck = createSchoolSelfCheck({
    ask: askSelf,
    config: () => config,
    schools: () => schools.all.map(({ school }) => school),
    scopes,
    log,
  })
  metrics.watchSelfCheck(selfCheck.states)

  return {
    koa,
    metrics,
    selfCheck,
    jobs: [
      ...sweepJobs({
        database: background,
        artifacts: stores.durable,
        endGrant: (sql, schoolId, grantId) => endGrantWithin(stores, sql, schoolId, grantId),
        registration: () => config.oauth.registration,
      }),
      ...fileJobs({ database: background, storage: args.storage }),
      ...subscriptionJobs({ database: background }),
      ...learningJobs({ database: background }),
      ...orderJobs({ database: background }),
      ...rollupJobs({ database: background }),
      ...postJobs({ database: background }),
    ],
    get schools() {
      return schools
    },
    async reload(next) {
      const opened = await openSchools(database, next)
      const changes = await syncAllIntegrations(stores, opened)
      ;[config, schools] = [next, opened]
      for (const kept of [engines, documents]) kept.clear()
      selfCheck.restart()
      return changes
    },
    drained: () => backgroundTasks.drained(),
  }
}
