import { Router } from '@koa/router'
import type { Middleware } from 'koa'
import { accountPaths } from '../../policy/accountPaths.ts'
import { createCsrf } from '../csrf.ts'
import { formBody } from '../formBody.ts'
import { sameOriginOnly } from '../ownForm.ts'
import { pageErrors } from '../pageErrors.ts'
import { pageProblem } from '../pageProblem.ts'
import { seeOther } from '../seeOther.ts'
import { createStepRunner } from '../steps/stepRunner.ts'
import { createViews } from '../templates.ts'
import type { AccountArguments } from './accountArguments.ts'
import { createAccountPresenter } from './accountPresenter.ts'
import { appSetupPages } from './appSetupPages.ts'
import { appsPages } from './appsPages.ts'
import { confirmPages } from './confirmPages.ts'
import { dataPages } from './dataPages.ts'
import { emailPages } from './emailPages.ts'
import { eventPages } from './eventPages.ts'
import { loginPages } from './loginPages.ts'
import { newPasswordPages } from './newPasswordPages.ts'
import { notificationsPages } from './notificationsPages.ts'
import { createOwnPages } from './ownPage.ts'
import { passkeyPages } from './passkeyPages.ts'
import { profilePages } from './profilePages.ts'
import { requestPages } from './requestPages.ts'
import { schoolActions } from './school/schoolActions.ts'
import { schoolPages } from './school/schoolPages.ts'
import { securityPages } from './securityPages.ts'
import { sessionsPages } from './sessionsPages.ts'
import { signInPages } from './signInPages.ts'

/** The pages of a person's own account. They work without JavaScript. Only POST changes data. */
export function createAccountPages(args: AccountArguments): Router {
  const views = createViews()
  const { pageContext } = args
  const csrf = createCsrf(args.keyring)
  const present = createAccountPresenter({ views, csrf, pageContext })
  const runner = createStepRunner({ steps: args.steps, database: args.database, views, csrf, signedIn: args.signedIn })
  const errors = pageErrors({ views, log: args.log, pageContext })
  const form = [errors, sameOriginOnly('foreign_account_form'), formBody()] as const

  const signIn = signInPages(args, { csrf, runner })
  const { signUp, forgotten } = requestPages(args, present)
  const { finishSignUp, newPassword } = newPasswordPages(args, present, runner)
  const email = emailPages(args, present)
  const pages = createOwnPages(args, present)
  const profile = profilePages(args, present, pages)
  const login = loginPages(args, present, pages)
  const sessions = sessionsPages(args, present, pages)
  const apps = appsPages(args, present, pages)
  const notifications = notificationsPages(args, pages)
  const data = dataPages(args, present, pages)
  const events = eventPages(args, present, pages)

  const school = schoolPages(args, present, pages)
  const schoolAct = schoolActions(args, present)

  /** Hides pages at schools that do not use second factors. */
  const whereOffered: Middleware = (ctx, next) => {
    if (args.secondStep(ctx.state.school) === 'off') throw pageProblem('nothing_here', 'not_found', 'There is no such page.')
    return next()
  }

  const router = new Router()
  for (const [path, page] of [
    [accountPaths.signIn, signIn],
    [accountPaths.signUp, signUp],
    [accountPaths.finishSignUp, finishSignUp],
    [accountPaths.forgottenPassword, forgotten],
    [accountPaths.newPassword, newPassword],
    [accountPaths.email, email],
    [accountPaths.confirm, confirmPages(args, present)],
  ] as const) {
    router.get(path, errors, page.show)
    router.post(path, ...form, page.answer)
  }
  for (const [path, page] of [
    [accountPaths.authenticatorApp, appSetupPages(args, present, pages)],
    [accountPaths.passkey, passkeyPages(args, present, pages)],
  ] as const) {
    router.get(path, errors, whereOffered, page.show)
    router.post(path, ...form, whereOffered, page.answer)
  }
  const security = securityPages(args, present, pages)
  router.get(accountPaths.security, errors, whereOffered, security.show)
  router.post(accountPaths.renamePasskey, ...form, whereOffered, security.renamePasskey)
  router.post(accountPaths.removePasskey, ...form, whereOffered, security.removePasskey)
  router.post(accountPaths.removeAuthenticatorApp, ...form, whereOffered, security.removeApp)
  router.post(accountPaths.recoveryCodes, ...form, whereOffered, security.renewCodes)
  for (const path of [
    accountPaths.renamePasskey,
    accountPaths.removePasskey,
    accountPaths.removeAuthenticatorApp,
    accountPaths.recoveryCodes,
  ])
    router.get(path, (ctx) => seeOther(ctx, accountPaths.security))
  for (const [path, show] of [
    [accountPaths.home, profile.show],
    [accountPaths.login, login.show],
    [accountPaths.sessions, sessions.show],
    [accountPaths.apps, apps.show],
    [accountPaths.notifications, notifications.show],
    [accountPaths.data, data.show],
  ] as const) {
    router.get(path, errors, show)
  }
  router.get(`${accountPaths.events}/:event`, errors, events.show)
  router.post(`${accountPaths.events}/:event`, ...form, events.save)
  router.get(accountPaths.school, errors, school.apps)
  router.get(accountPaths.schoolIntegrations, errors, school.integrations)
  router.get(accountPaths.schoolStaff, errors, school.staff)
  router.get(accountPaths.schoolAudit, errors, school.audit)
  router.get(accountPaths.schoolAuditCsv, errors, school.auditCsv)
  // Reloading the address of a form leads back to its page. The form of a page itself has the page's address.
  for (const [path, page, take] of [
    [accountPaths.home, accountPaths.home, profile.save],
    [accountPaths.removePicture, accountPaths.home, profile.removePicture],
    [accountPaths.changeEmail, accountPaths.login, login.changeEmail],
    [accountPaths.resendEmail, accountPaths.login, login.resendEmail],
    [accountPaths.cancelEmail, accountPaths.login, login.cancelEmail],
    [accountPaths.changePassword, accountPaths.login, login.changePassword],
    [accountPaths.endSession, accountPaths.sessions, sessions.end],
    [accountPaths.endOtherSessions, accountPaths.sessions, sessions.endOthers],
    [accountPaths.signOutEverywhere, accountPaths.sessions, sessions.signOutEverywhere],
    [accountPaths.revokeApp, accountPaths.apps, apps.revoke],
    [accountPaths.removeApp, accountPaths.apps, apps.remove],
    [accountPaths.revokeAllApps, accountPaths.apps, apps.revokeAll],
    [accountPaths.notifications, accountPaths.notifications, notifications.save],
    [accountPaths.renewCalendar, accountPaths.notifications, notifications.renewCalendar],
    [accountPaths.download, accountPaths.data, data.download],
    [accountPaths.deleteAccount, accountPaths.data, data.remove],
    [accountPaths.keep, accountPaths.data, data.keep],
    [accountPaths.schoolEndAccess, accountPaths.school, schoolAct.endAccess],
    [accountPaths.schoolDisableApp, accountPaths.school, schoolAct.disable],
    [accountPaths.schoolEnableApp, accountPaths.school, schoolAct.enable],
  ] as const) {
    router.post(path, ...form, take)
    if (path !== page) router.get(path, (ctx) => seeOther(ctx, page))
  }
  router.post(accountPaths.picture, errors, sameOriginOnly('foreign_account_form'), profile.savePicture)
  router.get(accountPaths.picture, (ctx) => seeOther(ctx, accountPaths.home))
  router.all(`${accountPaths.home}/{*rest}`, errors, () => {
    throw pageProblem('nothing_here', 'not_found', 'There is no such page.')
  })
  return router
}
