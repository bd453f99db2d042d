import { Router } from '@koa/router'
import type { Context } from 'koa'
import { accountPaths } from '../../base/accountPaths.ts'
import { createCsrf } from '../csrf.ts'
import { formBody, submittedForm } from '../formBody.ts'
import { requireOwnForm, sameOriginOnly } from '../ownForm.ts'
import { pageErrors } from '../pageErrors.ts'
import { pageProblem } from '../pageProblem.ts'
import { seeOther } from '../seeOther.ts'
import { createStepRunner, type StepRunner } from '../steps/stepRunner.ts'
import { createViews } from '../templates.ts'
import type { AccountArguments, AccountServices } from './accountArguments.ts'
import { createAccountPresenter } from './accountPresenter.ts'
import { accountSignInHost, landingOf } from './accountSignInHost.ts'
import { appPage } from './appActivityPages.ts'
import { approvalPage, approvalsPage } from './approvalPages.ts'
import { appSetupPage } from './appSetupPages.ts'
import { appsPage } from './appsPages.ts'
import { commentsPage } from './commentPages.ts'
import { confirmPage } from './confirmPages.ts'
import { dataPage } from './dataPages.ts'
import { emailPage } from './emailPages.ts'
import { enrolPage } from './enrolPages.ts'
import { eventFile, eventPage, eventsPage } from './eventPages.ts'
import { createKeptForms } from './keptForms.ts'
import { continueAt, coursePage } from './learning/coursePage.ts'
import { readCourse } from './learning/courseParts.ts'
import { learningPage } from './learning/learningPage.ts'
import { lessonPage } from './learning/lessonPage.ts'
import { loginPage } from './loginPages.ts'
import { membershipPage } from './membershipPage.ts'
import { newPasswordPages } from './newPasswordPages.ts'
import { notificationsPage } from './notificationsPages.ts'
import { orderFiles, ordersPage } from './ordersPage.ts'
import { stopEmailsPage } from './outgoingPages.ts'
import type { VisitorPage } from './ownPage.ts'
import { createOwnPages } from './ownPages.ts'
import { passkeyPage } from './passkeyPages.ts'
import { profilePage } from './profilePages.ts'
import { requestPages } from './requestPages.ts'
import { returnTo } from './returnTo.ts'
import { exportFile, importPage } from './school/manage/csvPages.ts'
import { deedPage } from './school/manage/deedPage.ts'
import { listPage } from './school/manage/listPage.ts'
import { rowPage } from './school/manage/rowPage.ts'
import { todayPage } from './school/manage/todayPage.ts'
import { schoolAllowedAppsPage } from './school/schoolAllowedAppsPage.ts'
import { schoolAppPage } from './school/schoolAppPage.ts'
import { schoolCommentPage, schoolCommentsPage } from './school/schoolCommentsPage.ts'
import { schoolAnswersPage, schoolFormsPage } from './school/schoolFormsPages.ts'
import { schoolPeoplePage } from './school/schoolOverviewPages.ts'
import { schoolAppsPage, schoolAuditFile, schoolAuditPage, schoolIntegrationsPage } from './school/schoolPages.ts'
import { schoolRulesPage } from './school/schoolRulesPages.ts'
import { schoolStaffPage } from './school/schoolStaffPages.ts'
import { setUpPage } from './school/setUpPage.ts'
import { schoolStatisticsPage } from './school/statisticsPage.ts'
import { securityPage } from './securityPages.ts'
import { sessionsPage } from './sessionsPages.ts'
import { findSignedInPerson, formSubject } from './signedInPerson.ts'
import { undoPage, undoSincePage } from './undoPages.ts'

/** The pages of a person's own account. They work without JavaScript. Only POST changes data. */
export function createAccountPages(args: AccountArguments): Router {
  const { keyring, log, pageContext, stores } = args
  const views = createViews()
  const csrf = createCsrf(keyring)
  const present = createAccountPresenter({ views, csrf, pageContext })
  const services = { ...args, present, keptForms: createKeptForms({ keyring, csrf, artifacts: stores.ephemeral, log }) }
  const runner = createStepRunner(services, { views, csrf })
  const errors = pageErrors({ views, log, pageContext })
  const onFile = [errors, sameOriginOnly('foreign_account_form')] as const
  const onForm = [...onFile, formBody()] as const
  const router = new Router()

  const { signUp, forgotten } = requestPages(services)
  const { finishSignUp, newPassword } = newPasswordPages(services, runner)
  for (const [path, page] of [
    [accountPaths.signIn, signInPages(services, runner)],
    [accountPaths.signUp, signUp],
    [accountPaths.finishSignUp, finishSignUp],
    [accountPaths.forgottenPassword, forgotten],
    [accountPaths.newPassword, newPassword],
  ] as const) {
    router.get(path, errors, page.show)
    router.post(path, ...onForm, page.answer)
  }

  const { addPage, addFile, addAddress } = createOwnPages(services, { router, onPage: errors, onForm, onFile })
  addPage(emailPage)
  addPage(confirmPage)
  addPage(appSetupPage)
  addPage(passkeyPage)
  addPage(securityPage)
  addPage(profilePage)
  addPage(loginPage)
  addPage(sessionsPage)
  addPage(dataPage)
  addPage(notificationsPage)
  addPage(appsPage)
  // After the addresses of the forms, which begin in the same way.
  addPage(appPage)
  addPage(approvalsPage)
  addPage(approvalPage)
  addPage(undoPage)
  addPage(stopEmailsPage)
  addPage(undoSincePage)
  addPage(learningPage)
  addPage(coursePage)
  addAddress(`${coursePage.path}/continue`, async (request) => seeOther(request.ctx, continueAt(await readCourse(request))))
  addPage(lessonPage)
  addPage(enrolPage)
  addPage(commentsPage)
  addPage(membershipPage)
  addPage(ordersPage)
  addPage(eventsPage)
  addPage(eventPage)
  for (const file of [eventFile, ...orderFiles]) addFile(file)
  addPage(schoolAppsPage)
  addPage(schoolIntegrationsPage)
  addPage(setUpPage)
  addPage(schoolAppPage)
  addPage(schoolRulesPage)
  addPage(schoolAllowedAppsPage)
  addPage(schoolStaffPage)
  addPage(schoolPeoplePage)
  addPage(schoolStatisticsPage)
  addPage(schoolFormsPage)
  addPage(schoolAnswersPage)
  addPage(schoolCommentsPage)
  addPage(schoolCommentPage)
  addPage(schoolAuditPage)
  addPage(schoolAuditFile)
  // After the other pages of the school, whose addresses begin in the same way.
  addPage(todayPage)
  addPage(importPage)
  addPage(exportFile)
  addPage(listPage)
  addPage(rowPage)
  addPage(deedPage)
  router.all(`${accountPaths.home}/{*rest}`, errors, () => {
    throw pageProblem('nothing_here', 'not_found', 'There is no such page.')
  })
  return router
}

/** The sign-in of the account pages, which runs the steps of the prompt `login`. */
function signInPages(services: AccountServices, runner: StepRunner): VisitorPage {
  return {
    async show(ctx: Context) {
      const target = returnTo(ctx.query.return_to, ctx.state.school)
      const person = await findSignedInPerson(ctx, services)
      if (person) return seeOther(ctx, target ?? (await landingOf(ctx, services, person.accountId)))
      const chosen = typeof ctx.query.step === 'string' ? ctx.query.step : undefined
      const startsOver = ctx.query.account === 'other'
      await runner.show(accountSignInHost(ctx, services, target), { prompt: 'login', chosen, startsOver })
    },
    async answer(ctx: Context) {
      const form = submittedForm(ctx)
      requireOwnForm(ctx, services.present.csrf, { subject: formSubject(), kind: 'foreign_account_form' })
      const target = returnTo(form.get('return_to') ?? undefined, ctx.state.school)
      await runner.answer(accountSignInHost(ctx, services, target), 'login')
    },
  }
}
