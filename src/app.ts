import type { RequestListener } from 'node:http'
import type { Middleware } from 'koa'
import { announceDocuments } from './agents/announceDocuments.ts'
import { nearMisses } from './agents/nearMisses.ts'
import { serveReference } from './agents/reference.ts'
import type { SelfCheck } from './agents/selfCheck.ts'
import type { Config } from './config/load.ts'
import { apiPath } from './framework/declare/operations.ts'
import { inProcess } from './http/inProcess.ts'
import type { Metrics } from './http/metrics.ts'
import type { RequestState } from './http/requestState.ts'
import { storedResponses } from './http/storedResponses.ts'
import type { Job } from './jobs/schedule.ts'
import { createMail } from './mail/mail.ts'
import type { IntegrationChanges } from './oidc/syncIntegrations.ts'
import { createPageContexts } from './pages/pageContext.ts'
import { accountPaths } from './policy/accountPaths.ts'
import type { SchoolDirectory } from './policy/schoolDirectory.ts'
import { schoolBranding } from './store/schools.ts'
import { createRestApi } from './wiring/api.ts'
import type { AppArguments } from './wiring/appArguments.ts'
import { createAppsGuide } from './wiring/appsGuide.ts'
import { createExternalServices } from './wiring/externalServices.ts'
import { createFileRoutes, createFileServices } from './wiring/files.ts'
import { createFoundation } from './wiring/foundation.ts'
import { createJobs, createSigningKeyJob } from './wiring/jobs.ts'
import { createMcpEndpoint } from './wiring/mcp.ts'
import { createOidc } from './wiring/oidc.ts'
import { requireGuardIfUsed } from './wiring/outbound.ts'
import { createSchoolPages } from './wiring/pages.ts'
import { beforeRoutes, createEntrance, createKoa } from './wiring/pipeline.ts'
import { type Runtime, schoolConfigOf } from './wiring/runtime.ts'
import { createResourceMetadata, createSchoolDocuments } from './wiring/schoolDocuments.ts'
import { openSchools, type SchoolEntry, syncAllClients } from './wiring/schools.ts'
import { createSchoolSelfCheck } from './wiring/selfCheck.ts'
import { sendInBackground } from './wiring/sendInBackground.ts'

export interface App {
  /** Answers requests. */
  handler: RequestListener
  jobs: Job[]
  metrics: Metrics
  /** The schools of the current configuration. */
  readonly schools: SchoolDirectory<SchoolEntry>
  /** Compares each school's documents with what the service does. The caller starts and stops it. */
  selfCheck: SelfCheck
  /** Replaces what can change while running: schools, integrations, roles, policies, lifetimes. Sessions stay valid. */
  reload(config: Config): Promise<Record<string, IntegrationChanges>>
  /** Resolves when all background tasks are done. */
  drained(): Promise<void>
}

/** Composes the whole service from its arguments. Two services can run in one process. */
export async function createApp(args: AppArguments): Promise<App> {
  const runtime: Runtime = { config: args.config, schools: await openSchools(args.database, args.config) }
  const foundation = createFoundation(args, runtime)
  const { database, stores, metrics, enqueue, branding, pageBranding, languages, backgroundTasks } = foundation
  await requireGuardIfUsed(args.config, args)
  await syncAllClients(stores, runtime.schools, args.config.oauth)

  const koa = createKoa(args)
  const ask = inProcess(() => koa.callback())
  const email = createMail({ ...args.mail, branding, languages })
  const pageContext = createPageContexts({ branding: pageBranding, languages })
  const externalServices = createExternalServices({
    ...foundation,
    email,
    files: createFileServices({ ...foundation, limits: () => runtime.config.server.storage }),
    checkoutUrl: (school) => schoolConfigOf(runtime, school).checkout_url,
  })
  const documents = createSchoolDocuments(foundation, { ask, externalServices })
  const oidc = createOidc(foundation, { pageContext, legalLinks: documents.legalLinks })
  const api = createRestApi(foundation, { externalServices })
  const selfCheck = createSchoolSelfCheck(foundation, ask)
  metrics.watchSelfCheck(selfCheck.states)

  const entrance = createEntrance(foundation)
  const middleware: Middleware<RequestState>[] = [
    ...beforeRoutes(foundation, entrance),
    ...createFileRoutes(foundation, externalServices),
    createResourceMetadata(foundation, documents),
    announceDocuments({ passwordPath: accountPaths.forgottenPassword }),
    documents.middleware,
    nearMisses(apiPath),
    serveReference(async ({ id }) => (await schoolBranding(database.kysely, id)).name),
    createAppsGuide(foundation, pageContext),
    api.openApi,
    oidc.middleware,
    ...createSchoolPages(foundation, { oidc, pageContext, send: sendInBackground({ email, enqueue }), documents }),
    api.routes,
    createMcpEndpoint(foundation, { externalServices, documents }),
  ]
  for (const step of middleware) koa.use(step)

  const keyJob = createSigningKeyJob(foundation)
  return {
    handler: storedResponses({ ...entrance, schoolOf: (host) => runtime.schools.byHost(host) }, koa.callback()),
    metrics,
    selfCheck,
    jobs: [keyJob, ...createJobs(foundation)],
    get schools() {
      return runtime.schools
    },
    async reload(config) {
      await requireGuardIfUsed(config, args)
      const schools = await openSchools(database, config)
      const changes = await syncAllClients(stores, schools, config.oauth)
      Object.assign(runtime, { config, schools } satisfies Runtime)
      for (const cache of [oidc.engines, documents, entrance.table]) cache.clear()
      selfCheck.restart()
      enqueue(keyJob.name, async () => void (await keyJob.run()))
      return changes
    },
    drained: () => backgroundTasks.drained(),
  }
}
