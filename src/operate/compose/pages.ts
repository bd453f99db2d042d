import type { Router } from '@koa/router'
import type { Context, Middleware } from 'koa'
import type { AgentDocuments } from '../../agents/agentDocuments.ts'
import { operationOfRoute } from '../../base/http/operationOf.ts'
import type { RequestState } from '../../base/http/requestState.ts'
import type { School } from '../../base/school.ts'
import { schoolDatabase } from '../../database/school/inSchool.ts'
import type { ExternalServices } from '../../engine/externalServices.ts'
import { createGuessEstimator } from '../../identity/accounts/passwordRule/guessEstimator.ts'
import { createNewPasswordRule } from '../../identity/accounts/passwordRule/newPasswordRule.ts'
import { findPasswordVersion } from '../../identity/accounts/passwordVersion.ts'
import { interactionPath } from '../../identity/oidc/endpoints.ts'
import { inExchange } from '../../identity/oidc/engineTransaction.ts'
import { createAccountPages } from '../../pages/account/accountPages.ts'
import { serveCalendar } from '../../pages/calendar/serveCalendar.ts'
import { createCertificatePages } from '../../pages/certificatePage.ts'
import { createPages } from '../../pages/createPages.ts'
import { createFormPages } from '../../pages/forms/formPages.ts'
import { createKnownBrowsers } from '../../pages/knownBrowser.ts'
import { createNotifyPerson } from '../../pages/notifyPerson.ts'
import type { FindPageContext } from '../../pages/pageContext.ts'
import type { PageServices } from '../../pages/pagesArguments.ts'
import { signInSteps } from '../../pages/steps/signInSteps.ts'
import { createUnsubscribePages } from '../../pages/unsubscribePages.ts'
import { createUnsubscribeLinks } from '../../school/notifications/unsubscribe.ts'
import { createExportArchive } from './exportArchive.ts'
import type { Foundation } from './foundation.ts'
import type { OidcPart } from './oidc.ts'
import { createOwnOperations } from './ownOperations.ts'
import { countPage } from './rateLimits.ts'
import { schoolConfigOf } from './runtime.ts'
import { createSecondFactorRules } from './secondFactors.ts'
import type { Site } from './site.ts'

export interface PagesParts {
  oidc: OidcPart
  pageContext: FindPageContext
  documents: Pick<AgentDocuments, 'about'>
  site: Pick<Site, 'chromeOf' | 'frameOf'>
  externalServices: ExternalServices
}

/** Creates the sign-in and consent pages, and the account pages. */
export function createSchoolPages(
  foundation: Foundation,
  { oidc, pageContext, documents, site, externalServices }: PagesParts,
): Middleware<RequestState>[] {
  const { runtime, accounts, stores, keyring, log, limits, scopes, grantable, pageBranding, outbox, counted } = foundation
  const databaseOf = (schoolId: string) => schoolDatabase(accounts, schoolId, 'person')
  const services: PageServices = {
    ...{ databaseOf, stores, keyring, log, pageContext, scopes, grantable, limits, counted },
    oauth: () => runtime.config.oauth,
    provider: async (ctx: Context) => (await oidc.engineOf(ctx)).provider,
    exchange: () => oidc.exchanges.getStore(),
    protectedNames: async (school: School) => [
      ...schoolConfigOf(runtime, school).protected_client_names,
      (await pageBranding(school)).name,
    ],
    secondFactors: createSecondFactorRules(foundation),
    knownBrowsers: createKnownBrowsers({
      keyring,
      days: () => runtime.config.server.known_browser_days,
      findAccount: (schoolId, email) => findPasswordVersion(databaseOf(schoolId).kysely, email),
    }),
    notify: createNotifyPerson({ databaseOf, defer: outbox.defer, log }),
    audit: (entry) => foundation.recordAudit([entry]),
    steps: signInSteps,
  }
  const pages = createPages({
    ...services,
    theme: async (school) => (await pageBranding(school)).theme,
    async homeFacts(school) {
      const [{ tagline }, shown] = await Promise.all([documents.about(school), site.chromeOf(school)])
      return { tagline, site: shown }
    },
  })
  const operations = createOwnOperations(foundation, externalServices)
  const accountPages = createAccountPages({
    ...services,
    ...externalServices,
    ...operations,
    checkNewPassword: createNewPasswordRule(
      createGuessEstimator({ onFailure: (reason) => log.warn({ reason }, 'strength of a new password not estimated') }),
    ),
    defer: outbox.defer,
    languages: foundation.languages,
    exportArchive: createExportArchive(foundation, operations.perform),
  })
  const calendar = serveCalendar({
    databaseOf: (schoolId) => schoolDatabase(foundation.database, schoolId, 'person'),
    limit: limits.badCredentials,
    countUse: limits.countCalendar,
    pageContext,
    hasPages: externalServices.hasPages,
  })
  const formPages = createFormPages({
    ...services,
    databaseOf: (schoolId) => schoolDatabase(foundation.database, schoolId, 'person'),
    limits: limits.forms,
    send: outbox.send,
    frameOf: site.frameOf,
  })
  const certificatePages = createCertificatePages({
    ...{ databaseOf: (schoolId: string) => schoolDatabase(foundation.database, schoolId, 'person'), log, pageContext },
    countGuess: countPage(limits, ['guess']),
  })
  const unsubscribePages = createUnsubscribePages({
    ...{ databaseOf, log, pageContext, links: createUnsubscribeLinks(keyring) },
    count: countPage(limits),
  })
  for (const { stack } of [pages, accountPages, formPages, certificatePages, unsubscribePages])
    foundation.metrics.beginOperations(stack.map(({ path }) => operationOfRoute(String(path))))
  const routes = routesOf(pages)
  const inOneExchange: Middleware<RequestState> = (ctx, next) =>
    ctx.path.startsWith(`${interactionPath}/`) ? inExchange(oidc.exchanges, () => routes(ctx, next)) : routes(ctx, next)
  return [calendar, inOneExchange, routesOf(accountPages), routesOf(formPages), routesOf(certificatePages), routesOf(unsubscribePages)]
}

const routesOf = (router: Router): Middleware<RequestState> => router.routes() as Middleware<RequestState>
