import { Router } from '@koa/router'
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
import { appsPages } from './appsPages.ts'
import { emailPages } from './emailPages.ts'
import { newPasswordPages } from './newPasswordPages.ts'
import { requestPages } from './requestPages.ts'

import { signInPages } from './signInPages.ts'

/** The pages of a person's own account. They work without JavaScript. Only POST changes data. */
export function createAccountPages(args: AccountArguments): Router {
  const views = createViews()
  const { pageContext } = args
  const csrf = createCsrf(args.keyring)
  const present = createAccountPresenter({ views, csrf, pageContext })
  const runner = createStepRunner({ steps: args.steps, database: args.database, views, csrf })
  const errors = pageErrors({ views, log: args.log, pageContext })
  const form = [errors, sameOriginOnly('foreign_account_form'), formBody()] as const

  const signIn = signInPages(args, { csrf, runner })
  const { signUp, forgotten } = requestPages(args, present)
  const { finishSignUp, newPassword } = newPasswordPages(args, present)
  const email = emailPages(args, present)
  const apps = appsPages(args, present)

  const router = new Router()
  for (const [path, page] of [
    [accountPaths.signIn, signIn],
    [accountPaths.signUp, signUp],
    [accountPaths.finishSignUp, finishSignUp],
    [accountPaths.forgottenPassword, forgotten],
    [accountPaths.newPassword, newPassword],
    [accountPaths.email, email],
  ] as const) {
    router.get(path, errors, page.show)
    router.post(path, ...form, page.answer)
  }
  router.get(accountPaths.apps, errors, apps.show)
  router.post(accountPaths.revokeApp, ...form, apps.revoke)
  router.post(accountPaths.removeApp, ...form, apps.remove)
  router.post(accountPaths.revokeAllApps, ...form, apps.revokeAll)
  router.post(accountPaths.keep, ...form, apps.keep)
  router.post(accountPaths.signOutEverywhere, ...form, apps.signOutEverywhere)
  // Reloading the address of such a form leads back to the page of the form.
  const { home, revokeApp, removeApp, revokeAllApps, keep, signOutEverywhere } = accountPaths
  for (const path of [home, revokeApp, removeApp, revokeAllApps, keep, signOutEverywhere])
    router.get(path, (ctx) => seeOther(ctx, accountPaths.apps))
  router.all(`${accountPaths.home}/{*rest}`, errors, () => {
    throw pageProblem('nothing_here', 'not_found', 'There is no such page.')
  })
  return router
}
