import type { RequestListener } from 'node:http'
import type Koa from 'koa'
import type { Middleware } from 'koa'
import { createAdmit } from '../../base/http/admission.ts'
import { createOutbound } from '../../base/net/outboundRequest.ts'
import type { School } from '../../base/school.ts'
import { findTombstone } from '../../database/tables/clientTombstones.ts'
import { type ClientDocuments, createClientDocuments } from '../../identity/oidc/clientDocuments.ts'
import { isDisabledClient } from '../../identity/oidc/disabledClients.ts'
import { createEngines } from '../../identity/oidc/engines.ts'
import type { BegunChecks } from '../../identity/oidc/lane/bodies.ts'
import { tokenLane } from '../../identity/oidc/lane/tokenLane.ts'
import { createService } from '../../identity/oidc/service.ts'
import { clientRegistration } from '../../identity/tokens/registerClient.ts'
import { createEnginePages } from '../../pages/enginePages.ts'
import { countEvent } from '../metrics/metrics.ts'
import { registrationRules } from './clients.ts'
import { createDocumentRules } from './documentRules.ts'
import { type Foundation, personIn } from './foundation.ts'
import type { Entrance } from './pipeline.ts'
import { schoolConfigOf } from './runtime.ts'
import { createSecondFactorRules } from './secondFactors.ts'

type Engines = ReturnType<typeof createEngines>

export interface OidcPart {
  engines: Engines
  engineOf(ctx: Koa.Context): ReturnType<Engines['get']>
  middleware: Middleware
  /** Puts the token lane before the pipeline. */
  lane(entrance: Entrance, pipeline: RequestListener): RequestListener
}

interface Links {
  legalLinks: Parameters<typeof createService>[0]['legalLinks']
}

/** Creates the authorization server: one engine per school, and its endpoints. */
export function createOidc(foundation: Foundation, { legalLinks }: Links): OidcPart {
  const { runtime, accounts, stores, keyring, log, limits, languages, pageContext } = foundation
  const { exchanges } = foundation
  const scopes = foundation.scopes.map(({ name }) => name)
  const pages = createEnginePages({
    pageContext,
    isDisabledClient: (school, clientId) => isDisabledClient(accounts.kysely, school.id, clientId),
    findRemovedClient: (school, client) => findTombstone(accounts.kysely, school.id, client),
  })
  const docsUrl = (school: School): string => schoolConfigOf(runtime, school).docs_url
  const engines = createEngines({
    caches: foundation.caches,
    database: accounts,
    stores,
    kept: foundation.kept,
    exchanges,
    keyring,
    log,
    scopes,
    pages,
    send: createOutbound(foundation.network),
    settings: () => ({ oauth: runtime.config.oauth, resourceServers: runtime.config.resources.resource_servers }),
    docsUrl,
    languages,
    secondFactors: createSecondFactorRules(foundation),
  })
  const documents = createDocumentRules(foundation)
  const admit = createAdmit(limits.limiter, foundation.caches)
  const shared = {
    ...{ runtimes: engines, stores, exchanges, admit, badCredentials: limits.badCredentials, grantable: foundation.grantable },
    tokenChecks: foundation.tokenChecks.authorization,
    begunChecks: new WeakMap() satisfies BegunChecks,
  }
  return {
    engines,
    lane: (entrance, pipeline) =>
      tokenLane(
        {
          ...{ ...shared, ...entrance, keyring, tracing: foundation.tracing, introspectionLimit: limits.policies.introspection },
          schoolOf: (host) => runtime.schools.byHost(host),
        },
        pipeline,
      ),
    engineOf: (ctx) => engines.get(ctx.state.school),
    middleware: createService({
      ...shared,
      kept: foundation.kept,
      scopes,
      limiter: limits.limiter,
      policies: limits.policies,
      documentFailures: limits.documentFailures,
      showProblem: pages.showProblem,
      refreshWindowSeconds: () => runtime.config.oauth.refresh_window_seconds,
      registrationRules: (school) => registrationRules(runtime.config.oauth, { docsUrl: docsUrl(school), issuer: school.issuer }),
      documentRules: documents.rulesFor,
      acceptsDocuments: documents.acceptsDocuments,
      clientDocuments: createDocuments(foundation),
      findPerson: personIn(accounts),
      registerClient: clientRegistration(accounts.sql),
      recordAudit: foundation.recordAudit,
      legalLinks,
      showManualCode: pages.showManualCode,
      showFormPost: pages.showFormPost,
      count: (event) => countEvent(foundation.metrics, event),
    }),
  }
}

function createDocuments({ caches, runtime, limits, log, network }: Foundation): ClientDocuments {
  return createClientDocuments({
    caches,
    send: createOutbound(network),
    limiter: limits.limiter,
    log,
    limits() {
      const { fetches_per_minute: perMinute, fetches_per_host_per_minute: perHostPerMinute } =
        runtime.config.oauth.client_metadata_documents
      return { perMinute, perHostPerMinute }
    },
  })
}
