import Koa, { type Middleware } from 'koa'
import { protectedResources } from './agents/protectedResource.ts'
import { serveReference } from './agents/reference.ts'
import type { Truth } from './agents/truth.ts'
import { createOpenApi } from './api/openApi.ts'
import { createApi } from './api/routes.ts'
import type { Config } from './config/load.ts'
import { errorsUrl } from './config/schools.ts'
import { schoolLook } from './domain/appearance.ts'
import { findPerson } from './domain/callers.ts'
import { hashPassword } from './domain/password.ts'
import { createPasswordGate } from './domain/passwordGate.ts'
import { createSignIn } from './domain/signIn.ts'
import { isUpload } from './files/uploadRoute.ts'
import { accessLog } from './http/accessLog.ts'
import { arriveWithin } from './http/arrival.ts'
import { cors } from './http/cors.ts'
import { addressLimit, callerAddress, resolveSchool } from './http/door.ts'
import { type Ask, asOwnRequest, inProcess } from './http/inProcess.ts'
import { createMetrics, type Metrics } from './http/metrics.ts'
import { renderProblems } from './http/problems.ts'
import { requestId } from './http/requestId.ts'
import { originForm } from './http/requestTarget.ts'
import { securityHeaders } from './http/securityHeaders.ts'
import type { RequestState } from './http/state.ts'
import { fileJobs } from './jobs/files.ts'
import { learningJobs } from './jobs/learning.ts'
import { orderJobs } from './jobs/orders.ts'
import { postJobs } from './jobs/posts.ts'
import { rollupJobs } from './jobs/rollups.ts'
import type { Job } from './jobs/schedule.ts'
import { subscriptionJobs } from './jobs/subscriptions.ts'
import { sweepJobs } from './jobs/sweep.ts'
import type { CursorSigner } from './kit/cursor.ts'
import { apiPath } from './kit/operations.ts'
import { createErrands } from './lib/errands.ts'
import type { Keyring } from './lib/keyring.ts'
import type { Log } from './lib/log.ts'
import { createMail } from './mail/mail.ts'
import type { Post } from './mail/post.ts'
import { createMcp } from './mcp/endpoint.ts'
import { pricingDocument } from './mcp/resources.ts'
import { createAuthenticate } from './oidc/bearer.ts'
import { cookieKeys } from './oidc/cookies.ts'
import { createEngines } from './oidc/engines.ts'
import { createExchanges } from './oidc/exchange.ts'
import type { IntegrationChanges } from './oidc/integrations.ts'
import { createService } from './oidc/service.ts'
import { endGrant } from './oidc/stores.ts'
import { createAccountPages } from './pages/account/accountPages.ts'
import { createEnginePages } from './pages/enginePages.ts'
import { rememberLanguage } from './pages/language.ts'
import { createSettings } from './pages/pageSetting.ts'
import { createPages } from './pages/pages.ts'
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
import { leaveWork } from './wiring/afterwards.ts'
import { describeClient, registrationRules } from './wiring/clients.ts'
import { createFiles } from './wiring/files.ts'
import { createLimits, limited } from './wiring/limits.ts'
import { sendAfterwards } from './wiring/messages.ts'
import { createStores } from './wiring/open.ts'
import { createOutside, endGrantWithin } from './wiring/outside.ts'
import { publicView } from './wiring/publicView.ts'
import { openSchools, type SchoolEntry, syncAllIntegrations } from './wiring/schools.ts'
import { createSelfDescription } from './wiring/selfDescription.ts'

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
  mail: { post: Post; from?: string | undefined }
  /** Off only where every issuer is loopback. */
  isLimited: boolean
}

export interface App {
  koa: Koa
  jobs: Job[]
  metrics: Metrics
  schools: SchoolDirectory<SchoolEntry>
  /** Whether each school's documents are true of it. */
  truth: Truth
  /** Takes over what can change while running: schools, integrations, roles, policies, lifetimes. Nobody is signed out. */
  reload(config: Config): Promise<Record<string, IntegrationChanges>>
  /** Once everything that was left for after an answer is done. */
  settled(): Promise<void>
}

const isPage = (path: string): boolean => /^\/(oauth|account)(\/|$)/i.test(path)

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
  const face = (school: School) => schoolFace(database.sql, school.id)
  const look = (school: School) => schoolLook(database.sql, school.id)
  const languages = (school: School) => schools.byId(school.id).config.languages
  const setting = createSettings({ face, look, languages })
  const protectedNames = async (school: School): Promise<readonly string[]> => [
    ...schools.byId(school.id).config.protected_client_names,
    (await face(school)).name,
  ]
  const audit = async (entries: AuditEntry[]): Promise<void> => {
    for (const { event } of entries) metrics.count(event)
    await recordAudit(database.sql, entries)
  }
  const limits = createLimits(args)
  const grantable = (role: Role): ReadonlySet<string> => grantableScopes(role, config.roles)
  const operations = operationsIn(resources)
  const personNow = (schoolId: string, accountId: string) => findPerson(database.sql, schoolId, accountId)
  const signer: CursorSigner = {
    sign: (text) => keyring.sign('cursors', text),
    verify: (text, signature) => keyring.verify('cursors', text, signature),
  }
  const files = createFiles({
    database,
    storage: args.storage,
    keyring,
    limits: () => config.server.storage,
    operations,
    findPerson: personNow,
    signer,
    outside: () => outside,
  })
  const gate = createPasswordGate(config.server.passwords)
  const checkPassword = createSignIn({ database, gate })
  const errands = createErrands({ log })
  const letter = createMail({ ...args.mail, face, languages })
  const afterwards = leaveWork({ errands, log })
  const send = sendAfterwards({ letter, afterwards })

  const enginePages = createEnginePages({ setting, findRemovedClient: (school, client) => findTombstone(database.sql, school.id, client) })
  const engines = createEngines({
    database,
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
    protectedNames,
    setting,
    look,
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
    protectedNames,
    setting,
    audit: (entry) => audit([entry]),
    checkPassword,
    hashPassword: (password) => gate(() => hashPassword(password)),
    sessionSeconds: () => config.oauth.lifetimes.session_days * 86_400,
    send,
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
    showHandOver: enginePages.showHandOver,
    count: metrics.count,
  })
  const outside = createOutside({
    ...{ stores, keyring, afterwards, letter },
    files: files.outside,
    checkoutUrl: (school) => schools.byId(school.id).config.checkout_url,
  })
  const doors = { operations, database: database.kysely, store: database, signer, outside }
  const bearer = { runtime, findPerson: personNow, grantable }
  const api = createApi({ ...doors, authenticate: limited(createAuthenticate(bearer), limits) })
  const { documents, truth } = createSelfDescription({
    ask: (address, request) => askSelf(address, request),
    config: () => config,
    schoolConfig: (school) => schools.byId(school.id).config,
    operations,
    scopes,
    view: (school) => publicView({ database: database.kysely, school, signer, outside }),
    log,
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
  }))

  const roadWith = ({ watched, gate }: Record<'watched' | 'gate', Middleware[]>): Middleware<RequestState>[] => [
    requestId(),
    originForm(),
    arriveWithin(30, isUpload),
    callerAddress(config.server.trusted_proxies),
    ...watched,
    securityHeaders(),
    cors({ allowedOrigins: config.server.cors.allowed_origins, isPage }),
    renderProblems(log, (path, school) =>
      school && path.startsWith(`${apiPath}/`) ? errorsUrl(schools.byId(school.id).config) : undefined,
    ),
    addressLimit(),
    resolveSchool((host) => schools.byHost(host)),
    ...gate,
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
  const koaWith = (road: Middleware<RequestState>[]): Koa => {
    const koa = new Koa()
    koa.keys = cookieKeys(keyring)
    // The door below has replaced every forwarded header by what the configuration says.
    koa.proxy = true
    for (const step of road) koa.use(step)
    koa.on('error', (error: Error) => log.error({ err: error }, 'an answer broke off'))
    return koa
  }
  // The service asks itself whether its documents are true: unseen by logs, metrics and the audit trail, and not held up by the answer.
  const askSelf: Ask = inProcess(koaWith(roadWith({ watched: [asOwnRequest], gate: [] })).callback())
  const koa = koaWith(roadWith({ watched: [accessLog(log) as Middleware, metrics.middleware], gate: [truth.middleware] }))

  return {
    koa,
    metrics,
    truth,
    jobs: [
      ...sweepJobs({
        database,
        artifacts: stores.durable,
        endGrant: (sql, schoolId, grantId) => endGrantWithin(stores, sql, schoolId, grantId),
        registration: () => config.oauth.registration,
      }),
      ...fileJobs({ database, storage: args.storage }),
      ...subscriptionJobs({ database }),
      ...learningJobs({ database }),
      ...orderJobs({ database }),
      ...rollupJobs({ database }),
      ...postJobs({ database }),
    ],
    get schools() {
      return schools
    },
    async reload(next) {
      const opened = await openSchools(database, next)
      const changes = await syncAllIntegrations(stores, opened)
      ;[config, schools] = [next, opened]
      for (const kept of [engines, documents, truth]) kept.clear()
      return changes
    },
    settled: () => errands.settled(),
  }
}
