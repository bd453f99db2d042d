import { Router } from '@koa/router'
import type { Context, Middleware } from 'koa'
import { accountPaths } from '../../base/accountPaths.ts'
import { viewerOnPage } from '../../base/caller.ts'
import { sitePath } from '../../engine/sitePaths.ts'
import { commentingOn } from '../../school/comments/mayComment.ts'
import { type Csrf, createCsrf } from '../csrf.ts'
import { formBody, submittedForm } from '../formBody.ts'
import { requireOwnForm, sameOriginOnly } from '../ownForm.ts'
import { pageErrors } from '../pageErrors.ts'
import { pageProblem } from '../pageProblem.ts'
import { seeOther } from '../seeOther.ts'
import { createStepRunner, type StepRunner } from '../steps/stepRunner.ts'
import { createViews } from '../templates.ts'
import type { AccountArguments } from './accountArguments.ts'
import { createAccountPresenter } from './accountPresenter.ts'
import { accountSignInHost } from './accountSignInHost.ts'
import { appActivityPages } from './appActivityPages.ts'
import { appChanges } from './appChanges.ts'
import { approvalPages } from './approvalPages.ts'
import { appSetupPages } from './appSetupPages.ts'
import { appsPages } from './appsPages.ts'
import { commentPages } from './commentPages.ts'
import { confirmPages } from './confirmPages.ts'
import { dataPages } from './dataPages.ts'
import { emailPages } from './emailPages.ts'
import { enrolPages } from './enrolPages.ts'
import { eventFile, eventPage, eventsPage } from './eventPages.ts'
import { continueAt, coursePage } from './learning/coursePage.ts'
import { readCourse } from './learning/courseParts.ts'
import { learningPage } from './learning/learningPage.ts'
import { lessonPage } from './learning/lessonPage.ts'
import { loginPages } from './loginPages.ts'
import { membershipPage } from './membershipPage.ts'
import { newPasswordPages } from './newPasswordPages.ts'
import { notificationsPage } from './notificationsPages.ts'
import { createOperationPages, type OperationPageContext } from './operationPages.ts'
import { orderFiles, ordersPage } from './ordersPage.ts'
import { createOwnPages } from './ownPage.ts'
import { passkeyPages } from './passkeyPages.ts'
import { profilePages } from './profilePages.ts'
import { requestPages } from './requestPages.ts'
import { returnTo } from './returnTo.ts'
import { schoolActions } from './school/schoolActions.ts'
import { schoolAppPage } from './school/schoolAppPage.ts'
import { schoolCommentsPage } from './school/schoolCommentsPage.ts'
import { schoolFormsPages } from './school/schoolFormsPages.ts'
import { schoolOverviewPages } from './school/schoolOverviewPages.ts'
import { schoolPages } from './school/schoolPages.ts'
import { schoolRulesPages } from './school/schoolRulesPages.ts'
import { schoolStaffPages } from './school/schoolStaffPages.ts'
import { securityPages } from './securityPages.ts'
import { sessionsPages } from './sessionsPages.ts'
import { findSignedInPerson, formSubject } from './signedInPerson.ts'
import { undoPage, undoSincePage } from './undoPages.ts'

/** The pages of a person's own account. They work without JavaScript. Only POST changes data. */
export function createAccountPages(args: AccountArguments): Router {
  const views = createViews()
  const { pageContext } = args
  const csrf = createCsrf(args.keyring)
  const present = createAccountPresenter({ views, csrf, pageContext })
  const runner = createStepRunner({ steps: args.steps, databaseOf: args.databaseOf, views, csrf, signedIn: args.signedIn })
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
  const appActivity = appActivityPages(args, pages)
  const comments = commentPages(args, present, pages)
  const appChange = appChanges(args, pages, appActivity)
  const approvals = approvalPages(args, pages)
  const data = dataPages(args, present, pages)

  const school = schoolPages(args, present, pages)
  const schoolAct = schoolActions(args, present)
  const schoolForms = schoolFormsPages(args, pages)
  const schoolComments = schoolCommentsPage(args, present, pages)
  const schoolOverview = schoolOverviewPages(args, pages)
  const schoolRules = schoolRulesPages(args, present, pages)
  const schoolStaff = schoolStaffPages(args, present, pages)

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
    [accountPaths.profile, profile.show],
    [accountPaths.login, login.show],
    [accountPaths.sessions, sessions.show],
    [accountPaths.apps, apps.show],
    [accountPaths.data, data.show],
    [accountPaths.approvals, approvals.list],
  ] as const) {
    router.get(path, errors, show)
  }
  router.get(accountPaths.school, errors, school.apps)
  router.get(accountPaths.schoolIntegrations, errors, school.integrations)
  router.get(accountPaths.schoolRules, errors, schoolRules.show)
  router.get(accountPaths.schoolStaff, errors, schoolStaff.show)
  router.get(accountPaths.schoolPeople, errors, schoolOverview.people)
  router.get(accountPaths.schoolStatistics, errors, schoolOverview.statistics)
  router.get(accountPaths.schoolForms, errors, schoolForms.list)
  router.get(`${accountPaths.schoolForms}/:form`, errors, schoolForms.answers)
  router.get(accountPaths.schoolComments, errors, schoolComments.show)
  router.get(accountPaths.schoolAudit, errors, school.audit)
  router.get(accountPaths.schoolAuditCsv, errors, school.auditCsv)
  // Reloading the address of a form leads back to its page. The form of a page itself has the page's address.
  for (const [path, page, take] of [
    [accountPaths.enrol, sitePath('courses'), enrolPages(args, present, pages).save],
    [accountPaths.comments, accountPaths.home, comments.write],
    [accountPaths.changeComment, accountPaths.home, comments.change],
    [accountPaths.deleteComment, accountPaths.home, comments.remove],
    [accountPaths.schoolComments, accountPaths.schoolComments, schoolComments.decide],
    [accountPaths.profile, accountPaths.profile, profile.save],
    [accountPaths.removePicture, accountPaths.profile, profile.removePicture],
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
    [accountPaths.pauseApp, accountPaths.apps, appActivity.pause],
    [accountPaths.continueApp, accountPaths.apps, appActivity.continue],
    [accountPaths.appEnd, accountPaths.apps, appChange.end],
    [accountPaths.renameApp, accountPaths.apps, appChange.rename],
    [accountPaths.asksFirst, accountPaths.apps, approvals.setAsksFirst],
    [accountPaths.download, accountPaths.data, data.download],
    [accountPaths.deleteAccount, accountPaths.data, data.remove],
    [accountPaths.keep, accountPaths.data, data.keep],
    [accountPaths.schoolEndAccess, accountPaths.school, schoolAct.endAccess],
    [accountPaths.schoolDisableApp, accountPaths.school, schoolAct.disable],
    [accountPaths.schoolEnableApp, accountPaths.school, schoolAct.enable],
    [accountPaths.schoolPauseApp, accountPaths.school, schoolAct.pause],
    [accountPaths.schoolContinueApp, accountPaths.school, schoolAct.continue],
    [accountPaths.schoolAgreeToApp, accountPaths.school, schoolAct.agree],
    [accountPaths.schoolRules, accountPaths.schoolRules, schoolRules.save],
    [accountPaths.schoolStaffInvite, accountPaths.schoolStaff, schoolStaff.invite],
    [accountPaths.schoolStaffRole, accountPaths.schoolStaff, schoolStaff.changeRole],
    [accountPaths.schoolStaffRemove, accountPaths.schoolStaff, schoolStaff.remove],
    [accountPaths.schoolRemoveFactor, accountPaths.schoolStaff, schoolStaff.removeFactor],
  ] as const) {
    router.post(path, ...form, take)
    if (path !== page) router.get(path, (ctx) => seeOther(ctx, page))
  }
  router.get(`${accountPaths.approvals}/:id`, errors, approvals.show)
  router.post(`${accountPaths.approvals}/:id`, ...form, approvals.decide)
  // After the addresses of the forms, which begin in the same way.
  router.get(`${accountPaths.apps}/:id`, errors, appActivity.show)
  router.get(`${accountPaths.schoolApps}/:client`, errors, schoolAppPage(args, pages))
  router.post(accountPaths.picture, errors, sameOriginOnly('foreign_account_form'), profile.savePicture)
  router.get(accountPaths.picture, (ctx) => seeOther(ctx, accountPaths.profile))
  const hasSite = ({ request }: OperationPageContext): boolean => args.hasPages(request.ctx.state.school)
  const { addPage, addFile, addRedirect } = createOperationPages(args, { present, pages, router, onPage: errors, onForm: form })
  addPage(learningPage(hasSite))
  addPage(coursePage)
  addPage(
    lessonPage(async ({ ctx, person }, lessonId) => {
      const { school } = ctx.state
      const found = await args.findPerson(school.id, person.accountId)
      const subject = { type: 'lesson', id: lessonId } as const
      return found && (await commentingOn(args.databaseOf(school.id).kysely, viewerOnPage(found, school.id), subject))
    }),
  )
  addPage(membershipPage(hasSite))
  addPage(ordersPage)
  addPage(eventsPage({ hasSite }))
  addPage(eventPage({ hasSite, checkout: ({ request }, { id }) => args.checkoutAddress(request.ctx.state.school, { type: 'event', id }) }))
  addPage(notificationsPage)
  addPage(undoPage)
  addPage(undoSincePage)
  for (const file of [eventFile, ...orderFiles]) addFile(file)
  addRedirect(coursePage.path, 'continue', async (request) => continueAt(await readCourse(request)))
  router.all(`${accountPaths.home}/{*rest}`, errors, () => {
    throw pageProblem('nothing_here', 'not_found', 'There is no such page.')
  })
  return router
}

/** The sign-in of the account pages, which runs the steps of the prompt `login`. */
interface SignInPages {
  show: Middleware
  answer: Middleware
}

function signInPages(args: AccountArguments, { csrf, runner }: { csrf: Csrf; runner: StepRunner }): SignInPages {
  return {
    async show(ctx: Context) {
      const target = returnTo(ctx.query.return_to, ctx.state.school)
      if (await findSignedInPerson(ctx, args)) return seeOther(ctx, target ?? accountPaths.home)
      const chosen = typeof ctx.query.step === 'string' ? ctx.query.step : undefined
      const startsOver = ctx.query.account === 'other'
      await runner.show(accountSignInHost(ctx, args, target), { prompt: 'login', chosen, startsOver })
    },
    async answer(ctx: Context) {
      const form = submittedForm(ctx)
      requireOwnForm(ctx, csrf, { subject: formSubject(), kind: 'foreign_account_form' })
      const target = returnTo(form.get('return_to') ?? undefined, ctx.state.school)
      await runner.answer(accountSignInHost(ctx, args, target), 'login')
    },
  }
}
