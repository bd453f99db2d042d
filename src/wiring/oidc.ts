import type Koa from 'koa'
import type { Middleware } from 'koa'
import { createAdmit } from '../http/admission.ts'
import { createOutbound } from '../lib/outboundRequest.ts'
import { type ClientDocuments, createClientDocuments } from '../oidc/clientDocuments.ts'
import { isDisabledClient } from '../oidc/disabledClients.ts'
import { createEngines } from '../oidc/engines.ts'
import type { Exchanges } from '../oidc/engineTransaction.ts'
import { createService } from '../oidc/service.ts'
import { createEnginePages } from '../pages/enginePages.ts'
import type { FindPageContext } from '../pages/pageContext.ts'
import type { School } from '../policy/school.ts'
import { findTombstone } from '../store/clientTombstones.ts'
import { documentRules, registrationRules } from './clients.ts'
import { type Foundation, personIn } from './foundation.ts'
import { countEvent } from './metrics.ts'
import { schoolConfigOf } from './runtime.ts'
import { createSecondFactorRules } from './secondFactors.ts'

type Engines = ReturnType<typeof createEngines>

export interface OidcPart {
  engines: Engines
  engineOf(ctx: Koa.Context): ReturnType<Engines['get']>
  middleware: Middleware
  exchanges: Exchanges
}

interface Links {
  legalLinks: Parameters<typeof createService>[0]['legalLinks']
}

/** Creates the authorization server: one engine per school, and its endpoints. */
export function createOidc(foundation: Foundation, { pageContext, legalLinks }: { pageContext: FindPageContext } & Links): OidcPart {
  const { runtime, accounts, stores, keyring, log, limits, languages } = foundation
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
  return {
    engines,
    exchanges,
    engineOf: (ctx) => engines.get(ctx.state.school),
    middleware: createService({
      runtimes: engines,
      stores,
      exchanges,
      scopes,
      limiter: limits.limiter,
      admit: createAdmit(limits.limiter, foundation.caches),
      policies: limits.policies,
      badCredentials: limits.badCredentials,
      documentFailures: limits.documentFailures,
      showProblem: pages.showProblem,
      refreshWindowSeconds: () => runtime.config.oauth.refresh_window_seconds,
      registrationRules: (school) => registrationRules(runtime.config.oauth, { docsUrl: docsUrl(school), issuer: school.issuer }),
      documentRules: () => documentRules(runtime.config.oauth),
      clientDocuments: createDocuments(foundation),
      findPerson: personIn(accounts),
      tokenChecks: foundation.tokenChecks.authorization,
      grantable: foundation.grantable,
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
