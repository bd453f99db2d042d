import type { Router } from '@koa/router'
import type { Context, Middleware } from 'koa'
import type { AgentDocuments } from '../../agents/agentDocuments.ts'
import { operationOfRoute } from '../../base/http/operationOf.ts'
import type { RequestState } from '../../base/http/requestState.ts'
import type { School } from '../../base/school.ts'
import type { Database } from '../../database/connection/database.ts'
import { inSchool, schoolDatabase } from '../../database/school/inSchool.ts'
import { storableText } from '../../database/statements/storableText.ts'
import { findAccount } from '../../database/tables/accounts.ts'
import type { AuditEntry } from '../../database/tables/audit.ts'
import { findAnyClient, findClient, noteDisabledBy, pauseClient } from '../../database/tables/clients.ts'
import { pauseGrants, renameGrants, setAsksFirst, setGrantEnd } from '../../database/tables/grants.ts'
import type { ExternalServices } from '../../engine/externalServices.ts'
import { hashPassword } from '../../identity/accounts/password.ts'
import { createPasswordCheck } from '../../identity/accounts/passwordCheck.ts'
import { createGuessEstimator } from '../../identity/accounts/passwordRule/guessEstimator.ts'
import { createNewPasswordRule } from '../../identity/accounts/passwordRule/newPasswordRule.ts'
import { findPasswordVersion } from '../../identity/accounts/passwordVersion.ts'
import { createSignIn, type SignIn } from '../../identity/accounts/signIn.ts'
import { accessRule } from '../../identity/apps/accessDuration.ts'
import { termsOf } from '../../identity/apps/schoolAppRules.ts'
import { agreeToClient } from '../../identity/apps/storedAppRules.ts'
import { listGrantsOfClient } from '../../identity/apps/storedApps.ts'
import { originOf } from '../../identity/clients/clientOrigin.ts'
import { isDisabledClient } from '../../identity/oidc/disabledClients.ts'
import { findEnd } from '../../identity/oidc/endedInteractions.ts'
import { interactionPath } from '../../identity/oidc/endpoints.ts'
import { inExchange } from '../../identity/oidc/engineTransaction.ts'
import { once } from '../../identity/oidc/requestFacts.ts'
import { restoreClient } from '../../identity/oidc/restoreClient.ts'
import { sessionSeconds } from '../../identity/oidc/sessionSeconds.ts'
import { endClient, endGrant, type Stores } from '../../identity/oidc/stores.ts'
import type { ClientAdministration } from '../../pages/account/accountArguments.ts'
import { createAccountPages } from '../../pages/account/accountPages.ts'
import { createKeptForms } from '../../pages/account/keptForms.ts'
import { serveCalendar } from '../../pages/calendar/serveCalendar.ts'
import { createCertificatePages } from '../../pages/certificatePage.ts'
import { completedSignIn } from '../../pages/completedSignIn.ts'
import { createPages } from '../../pages/createPages.ts'
import { createCsrf } from '../../pages/csrf.ts'
import { createFormPages } from '../../pages/forms/formPages.ts'
import { createKnownBrowsers } from '../../pages/knownBrowser.ts'
import { createNotifyPerson } from '../../pages/notifyPerson.ts'
import type { FindPageContext } from '../../pages/pageContext.ts'
import { signInSteps } from '../../pages/steps/signInSteps.ts'
import { createUnsubscribePages } from '../../pages/unsubscribePages.ts'
import { appTerms, askOwners, changeAppRules } from '../../school/apps/changeAppRules.ts'
import { createUnsubscribeLinks } from '../../school/notifications/unsubscribe.ts'
import { createExportArchive } from './exportArchive.ts'
import { type Foundation, personIn } from './foundation.ts'
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
  const { runtime, accounts, stores, keyring, log, limits, scopes, grantable, pageBranding, outbox } = foundation
  const accountsOf = (schoolId: string) => schoolDatabase(accounts, schoolId, 'person')
  const knownBrowsers = createKnownBrowsers({
    keyring,
    days: () => runtime.config.server.known_browser_days,
    findAccount: (schoolId, email) => findPasswordVersion(accountsOf(schoolId).kysely, email),
  })
  const facts = () => oidc.exchanges.getStore()?.facts
  const notify = createNotifyPerson({ databaseOf: accountsOf, defer: outbox.defer, log })
  const audit = (entry: AuditEntry): Promise<void> => foundation.recordAudit([entry])
  const secondFactors = createSecondFactorRules(foundation)
  const findTerms = (schoolId: string, clientId: string) => appTerms(inSchool(accounts.kysely, schoolId), clientId)
  const knownClient = (schoolId: string, clientId: string) =>
    once(facts()?.clients, clientId, () => findClient(accounts.kysely, schoolId, clientId))
  const shared = {
    databaseOf: accountsOf,
    keyring,
    log,
    provider: async (ctx: Context) => (await oidc.engineOf(ctx)).provider,
    protectedNames: async (school: School) => [
      ...schoolConfigOf(runtime, school).protected_client_names,
      (await pageBranding(school)).name,
    ],
    pageContext,
    audit,
    signedIn: completedSignIn({ knownBrowsers, notify }),
    steps: signInSteps({
      databaseOf: accountsOf,
      keyring,
      secondStep: secondFactors.ruleOf,
      secondFactors,
      scopes,
      grantable,
      accessRule: (terms) => accessRule(runtime.config.oauth, terms),
      async findTerms(schoolId, clientId) {
        const client = await knownClient(schoolId, clientId)
        return client ? termsOf(client) : await findTerms(schoolId, clientId)
      },
      askOwners: (schoolId, clientId) => accounts.transaction((writer) => askOwners(inSchool(writer, schoolId), clientId)),
      askFirstRule: () => runtime.config.oauth.consent.ask_first,
      setAsksFirst: async (schoolId, access) => void (await accounts.transaction((writer) => setAsksFirst(writer, schoolId, access))),
      findAccount: (schoolId, accountId) => once(facts()?.accounts, accountId, () => findAccount(accounts.kysely, schoolId, accountId)),
      findPerson: (schoolId, accountId) => once(facts()?.people, accountId, () => personIn(accounts)(schoolId, accountId)),
      limits: limits.signIn,
      stayDays: () => runtime.config.oauth.lifetimes.session_days,
      knownBrowsers,
      audit,
      notify,
      isFirstGrant: () => oidc.exchanges.getStore()?.isFirstGrant === true,
      auditWithGrant(entry) {
        const exchange = oidc.exchanges.getStore()
        if (!exchange) throw new Error('consent is given in the exchange of a request only')
        exchange.auditOfGrant = foundation.counted(entry)
      },
      checkPassword: countedSignIn(foundation, createSignIn({ databaseOf: accountsOf })),
    }),
  }
  const pages = createPages({
    ...shared,
    findEnd: (ctx, uid) => findEnd(ctx, stores, uid),
    clients: {
      async describe(schoolId, clientId) {
        const client = await knownClient(schoolId, clientId)
        return client && { ...originOf(clientId, client.registered_via), createdAt: client.created_at }
      },
      isDisabled: (schoolId, clientId) => isDisabledClient(accounts.kysely, schoolId, clientId),
    },
    theme: async (school) => (await pageBranding(school)).theme,
    async homeFacts(school) {
      const [{ tagline }, shown] = await Promise.all([documents.about(school), site.chromeOf(school)])
      return { tagline, site: shown }
    },
  })
  const { perform, list, inputOf, describe, describeRequest, readerOf } = createOwnOperations(foundation, externalServices)
  const accountPages = createAccountPages({
    ...shared,
    scopes,
    findPerson: personIn(accounts),
    limits,
    knownBrowsers,
    hashPassword,
    checkNewPassword: createNewPasswordRule(
      createGuessEstimator({ onFailure: (reason) => log.warn({ reason }, 'strength of a new password not estimated') }),
    ),
    checkOwnPassword: createPasswordCheck({ databaseOf: accountsOf }),
    secondStep: secondFactors.ruleOf,
    secondFactors,
    administration: createClientAdministration(stores, accounts),
    sessionSeconds: (isRemembered) => sessionSeconds(runtime.config.oauth, isRemembered),
    send: outbox.send,
    notify,
    defer: outbox.defer,
    endGrant: (schoolId, grantId) => endGrant(stores, { schoolId, grantId }),
    keptForms: createKeptForms({ keyring, csrf: createCsrf(keyring), artifacts: stores.ephemeral, log }),
    perform,
    list,
    inputOf,
    describe,
    describeRequest,
    readerOf,
    openApproval: externalServices.approvals.open,
    findTerms,
    mustAskFirst: () => runtime.config.oauth.consent.ask_first === 'always',
    accessRule: (terms) => accessRule(runtime.config.oauth, terms),
    setAccessEnd: (schoolId, access) => accounts.transaction((writer) => setGrantEnd(writer, schoolId, access)),
    renameOwn: (schoolId, app) => accounts.transaction((writer) => renameGrants(writer, schoolId, app)),
    setAsksFirst: (schoolId, access) => accounts.transaction((writer) => setAsksFirst(writer, schoolId, access)),
    pauseOwn: (schoolId, access) => accounts.transaction((writer) => pauseGrants(writer, schoolId, access)),
    checkoutAddress: externalServices.checkoutAddress,
    languages: foundation.languages,
    hasPages: externalServices.hasPages,
    sessions: externalServices.sessions,
    exportArchive: createExportArchive(foundation, perform),
    removeSessions: (schoolId, accountId) => stores.ephemeral.destroyOfAccount(schoolId, 'Session', accountId),
  })
  const calendar = serveCalendar({
    databaseOf: (schoolId) => schoolDatabase(foundation.database, schoolId, 'person'),
    limit: limits.badCredentials,
    countUse: limits.countCalendar,
    pageContext,
    hasPages: externalServices.hasPages,
  })
  const formPages = createFormPages({
    ...shared,
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
    ...{ databaseOf: accountsOf, log, pageContext, links: createUnsubscribeLinks(keyring) },
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

const countedSignIn =
  ({ counted }: Foundation, signIn: SignIn): SignIn =>
  (schoolId, email, password, turn, audit) =>
    signIn(schoolId, email, password, turn, (accountId, signedInAt) => counted(audit(accountId, signedInAt)))

/** Creates what the pages of a school do about its clients, with the rules of the operator's commands. */
function createClientAdministration(stores: Stores, accounts: Pick<Database, 'transaction'>): ClientAdministration {
  return {
    async find(schoolId, id) {
      // PostgreSQL cannot store other texts, so no client has such an id.
      const client = storableText(id) === id ? await findAnyClient(stores.database, schoolId, id) : undefined
      if (!client) return undefined
      const disabledBy = client.disabled_by === 'school' ? 'school' : 'operator'
      return { id, disabledBy: client.disabled_at === null ? undefined : disabledBy }
    },
    grantsOf: (schoolId, grants) => listGrantsOfClient(stores.database, schoolId, grants),
    async disable(schoolId, id) {
      await endClient(stores, schoolId, id)
      await noteDisabledBy(stores.database, { schoolId, id, by: 'school' })
    },
    enable: (schoolId, id) => restoreClient(stores, schoolId, id),
    agree: (schoolId, id) => accounts.transaction((writer) => agreeToClient(inSchool(writer, schoolId), id)),
    saveRules: (schoolId, rules) => accounts.transaction((writer) => changeAppRules(inSchool(writer, schoolId), rules)),
    pause: (schoolId, id, isPaused) => accounts.transaction((writer) => pauseClient(writer, schoolId, id, isPaused)),
  }
}
