import type { Router } from '@koa/router'
import type { Context, Middleware } from 'koa'
import type { AgentDocuments } from '../../agents/agentDocuments.ts'
import { operationOfRoute } from '../../base/http/operationOf.ts'
import type { RequestState } from '../../base/http/requestState.ts'
import type { School } from '../../base/school.ts'
import { schoolDatabase } from '../../database/school/inSchool.ts'
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
import type { PageServices } from '../../pages/pagesArguments.ts'
import { signInSteps } from '../../pages/steps/signInSteps.ts'
import { createUnsubscribePages } from '../../pages/unsubscribePages.ts'
import { createExportArchive } from './exportArchive.ts'
import type { Foundation } from './foundation.ts'
import type { OidcPart } from './oidc.ts'
import { createOwnOperations } from './ownOperations.ts'
import { createOwnProposals } from './ownProposals.ts'
import { countPage } from './rateLimits.ts'
import { schoolConfigOf } from './runtime.ts'
import { createSecondFactorRules } from './secondFactors.ts'
import type { Site } from './site.ts'

export interface PagesParts {
  services: PageServices
  documents: Pick<AgentDocuments, 'about'>
  site: Pick<Site, 'chromeOf' | 'frameOf'>
}

/** Creates what every page for people uses. */
export function createPageServices(foundation: Foundation, { engineOf }: Pick<OidcPart, 'engineOf'>): PageServices {
  const { runtime, accounts, stores, keyring, log, limits, scopes, grantable, pageBranding, pageContext, outbox, counted, exchanges } =
    foundation
  const databaseOf = (schoolId: string) => schoolDatabase(accounts, schoolId, 'person')
  return {
    ...{ databaseOf, stores, keyring, log, pageContext, scopes, grantable, limits, counted },
    oauth: () => runtime.config.oauth,
    provider: async (ctx: Context) => (await engineOf(ctx)).provider,
    exchange: () => exchanges.getStore(),
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
}

/** Creates the sign-in and consent pages, and the account pages. */
export function createSchoolPages(foundation: Foundation, { services, documents, site }: PagesParts): Middleware<RequestState>[] {
  const { log, limits, pageBranding, outbox, externalServices } = foundation
  const pages = createPages({
    ...services,
    theme: async (school) => (await pageBranding(school)).theme,
    async homeFacts(school) {
      const [{ tagline }, shown] = await Promise.all([documents.about(school), site.chromeOf(school)])
      return { tagline, site: shown }
    },
  })
  const operations = createOwnOperations(foundation)
  const accountPages = createAccountPages({
    ...services,
    ...externalServices,
    ...operations,
    proposals: createOwnProposals(foundation),
    checkNewPassword: createNewPasswordRule(
      createGuessEstimator({ onFailure: (reason) => log.warn({ reason }, 'strength of a new password not estimated') }),
    ),
    defer: outbox.defer,
    orderAddress: (school, order) =>
      schoolConfigOf(foundation.runtime, school).order_url?.replace(/\{(id|number|reference)\}/g, (_whole, name: keyof typeof order) =>
        encodeURIComponent(order[name]),
      ),
    languages: foundation.languages,
    exportArchive: createExportArchive(foundation, operations.perform),
  })
  const ofVisitors = { ...services, databaseOf: foundation.databaseOf }
  const calendar = serveCalendar(ofVisitors, {
    limit: limits.badCredentials,
    countUse: limits.countCalendar,
    hasPages: externalServices.hasPages,
  })
  const formPages = createFormPages(ofVisitors, { limits: limits.forms, send: outbox.send, frameOf: site.frameOf })
  const certificatePages = createCertificatePages(ofVisitors, { countGuess: countPage(limits, ['guess']) })
  const unsubscribePages = createUnsubscribePages(services, countPage(limits))
  for (const { stack } of [pages, accountPages, formPages, certificatePages, unsubscribePages])
    foundation.metrics.beginOperations(stack.map(({ path }) => operationOfRoute(String(path))))
  const routes = routesOf(pages)
  const inOneExchange: Middleware<RequestState> = (ctx, next) =>
    ctx.path.startsWith(`${interactionPath}/`) ? inExchange(foundation.exchanges, () => routes(ctx, next)) : routes(ctx, next)
  return [calendar, inOneExchange, routesOf(accountPages), routesOf(formPages), routesOf(certificatePages), routesOf(unsubscribePages)]
}

const routesOf = (router: Router): Middleware<RequestState> => router.routes() as Middleware<RequestState>
