import type { RequestListener } from 'node:http'
import { announceDocuments } from '../../agents/announceDocuments.ts'
import { nearMisses } from '../../agents/nearMisses.ts'
import type { SelfCheck } from '../../agents/selfCheck.ts'
import { accountPaths } from '../../base/accountPaths.ts'
import { inProcess } from '../../base/http/inProcess.ts'
import type { Metrics } from '../../base/http/metrics.ts'
import { storedResponses } from '../../base/http/storedResponses.ts'
import { createMail } from '../../base/mail/mail.ts'
import type { School, SchoolDirectory } from '../../base/school.ts'
import type { Config } from '../../config/load.ts'
import { errorsUrl } from '../../config/schools.ts'
import type { GrantUses } from '../../database/tables/grantUse.ts'
import { apiPath } from '../../engine/declare/operations.ts'
import type { ExternalServices } from '../../engine/externalServices.ts'
import { refusalLane } from '../../engine/rest/refusalLane.ts'
import { foreignToken } from '../../identity/oidc/bearer.ts'
import type { IntegrationChanges } from '../../identity/oidc/syncIntegrations.ts'
import { createPageContexts } from '../../pages/pageContext.ts'
import { createUnsubscribeLinks } from '../../school/notifications/unsubscribe.ts'
import type { OutboxWorker } from '../jobs/outbox/outboxWorker.ts'
import { type Job, runJob } from '../jobs/schedule.ts'
import { schoolFigures } from '../metrics/schoolFigures.ts'
import { watchedJobs } from '../metrics/tracing.ts'
import { createJobs, createSigningKeyJob } from '../serve/jobs.ts'
import { countVisitor, createRestApi } from './api.ts'
import type { AppArguments } from './appArguments.ts'
import { createAppsGuide } from './appsGuide.ts'
import { offeredApps } from './clients.ts'
import { createEmailBranding } from './emailBranding.ts'
import { createExternalServices } from './externalServices.ts'
import { createFileRoutes, createFileServices } from './files.ts'
import { createBasicParts, type Foundation } from './foundation.ts'
import { createMcpEndpoint } from './mcp.ts'
import { createOidc } from './oidc.ts'
import { requireGuardIfUsed } from './outbound.ts'
import { createWorker } from './outboxHandlers.ts'
import { createPageServices, createSchoolPages } from './pages.ts'
import { beforeRoutes, createEntrance, createPublicKoa, deliverAfterWrites, readSlashes } from './pipeline.ts'
import { createReference } from './reference.ts'
import { type Runtime, schoolConfigOf } from './runtime.ts'
import { createResourceMetadata, createSchoolDocuments } from './schoolDocuments.ts'
import { openSchools, type SchoolEntry, syncAllClients } from './schools.ts'
import { createSchoolSelfCheck } from './selfCheck.ts'
import { createSite } from './site.ts'
import { createUndoRules } from './undoRules.ts'
import { syncWebhooks } from './webhooks.ts'

export interface App {
  /** Answers requests. */
  handler: RequestListener
  jobs: Job[]
  metrics: Metrics
  /** The current configuration. */
  readonly config: Config
  readonly schools: SchoolDirectory<SchoolEntry>
  /** The services outside the database, for the handlers of the private port. */
  externalServices: ExternalServices
  /** Compares each school's documents with what the service does. The caller starts and stops it. */
  selfCheck: SelfCheck
  /** Replaces what can change while running: schools, integrations, roles, policies, lifetimes. Sessions stay valid. */
  reload(config: Config): Promise<Record<string, IntegrationChanges>>
  /** Counts the calls of apps. The caller starts and stops it. */
  grantUses: GrantUses
  /** Delivers e-mails and other promised work. The caller starts and stops it. */
  outbox: OutboxWorker
  /** Resolves when everything that is due has been delivered. */
  drained(): Promise<void>
}

/** Composes the whole service from its arguments. Two services can run in one process. */
export async function createApp(args: AppArguments): Promise<App> {
  const runtime: Runtime = { config: args.config, schools: await openSchools(args.database, args.config) }
  const parts = createBasicParts(args, runtime)
  const { database, stores, metrics, pageBranding, languages, outbox } = parts
  await requireGuardIfUsed(args.config, args)
  await syncAllClients(stores, runtime.schools, args.config.oauth)
  await syncWebhooks(database, runtime)

  const koa = createPublicKoa(args)
  const ask = inProcess(() => koa.callback())
  const hasPages = (school: Pick<School, 'id'>): boolean => schoolConfigOf(runtime, school).public_pages
  const isInformal = (school: Pick<School, 'id'>): boolean => schoolConfigOf(runtime, school).german_address === 'informal'
  const pageContext = createPageContexts({
    ...{ caches: args.caches, branding: pageBranding, languages, isInformal, hasPages },
  })
  const externalServices = createExternalServices({
    ...parts,
    send: outbox.send,
    emailLimits: parts.limits.email,
    files: createFileServices({ ...parts, storage: async () => args.storage, limits: () => runtime.config.server.storage }),
    checkoutUrl: (school) => schoolConfigOf(runtime, school).checkout_url,
    hasPages,
    undoDays: () => runtime.config.server.undo.days,
    undoRules: createUndoRules(parts.operations),
    apps: {
      outgoingDelay: () => runtime.config.server.apps.outgoing_delay,
      limitsLeft: parts.limits.leftOf,
      offered: () => offeredApps(runtime.config.oauth),
    },
  })
  const foundation: Foundation = { ...parts, pageContext, externalServices }
  const worker = createWorker(
    foundation,
    createMail({
      ...args.mail,
      ...{ branding: createEmailBranding({ ...foundation, hasPages }), languages, isInformal },
      unsubscribeUrl: createUnsubscribeLinks(foundation.keyring).url,
    }),
  )
  const entrance = createEntrance(foundation)
  const changeOf = ({ id }: School): number => entrance.table.clearedAt(id)
  const documents = createSchoolDocuments(foundation, { ask, changeOf })
  const oidc = createOidc(foundation, documents)
  const services = createPageServices(foundation, oidc)
  const site = createSite(foundation, { services, changeOf })
  const api = createRestApi(foundation)
  const selfCheck = createSchoolSelfCheck(foundation, ask)
  metrics.collect(schoolFigures(foundation, selfCheck))

  const middleware: ReturnType<typeof beforeRoutes> = [
    deliverAfterWrites(foundation, worker),
    ...beforeRoutes(foundation, entrance),
    ...createFileRoutes(foundation),
    announceDocuments({ passwordPath: accountPaths.forgottenPassword }),
    nearMisses(apiPath),
    readSlashes(documents),
    // The most frequent requests pass the fewest steps.
    api.routes,
    oidc.middleware,
    createMcpEndpoint(foundation, documents),
    createResourceMetadata(foundation, documents),
    documents.middleware,
    createReference(foundation),
    createAppsGuide(foundation),
    site.middleware,
    api.openApi,
    ...createSchoolPages(foundation, { services, documents, site }),
    site.rest,
  ]
  for (const step of middleware) koa.use(step)

  const keyJob = createSigningKeyJob(foundation)
  let newKeys: Promise<void> | undefined
  return {
    handler: storedResponses(
      { ...entrance, tracing: args.tracing, schoolOf: (host) => runtime.schools.byHost(host) },
      refusalLane(
        {
          ...{ ...entrance, tracing: args.tracing, refusals: api.routes, foreignToken, schoolOf: (host) => runtime.schools.byHost(host) },
          countVisitor: countVisitor(parts.limits),
          errorsUrl: (school) => errorsUrl(schoolConfigOf(runtime, school)),
        },
        oidc.lane(entrance, koa.callback()),
      ),
    ),
    metrics,
    externalServices,
    selfCheck,
    jobs: watchedJobs({ ...foundation, ...entrance }, [keyJob, ...createJobs(foundation)]),
    get config() {
      return runtime.config
    },
    get schools() {
      return runtime.schools
    },
    async reload(config) {
      await requireGuardIfUsed(config, args)
      const schools = await openSchools(database, config)
      const changes = await syncAllClients(stores, schools, config.oauth)
      Object.assign(runtime, { config, schools } satisfies Runtime)
      await syncWebhooks(database, runtime)
      for (const cache of [oidc.engines, documents, site, entrance.table, foundation.visitorAnswers, foundation.rowTexts]) cache.clear()
      selfCheck.restart()
      newKeys = runJob(keyJob, args.log)
      return changes
    },
    grantUses: foundation.grantUses,
    outbox: worker,
    async drained() {
      await newKeys
      await worker.drained()
    },
  }
}
