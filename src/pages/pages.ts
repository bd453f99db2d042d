import { Router } from '@koa/router'
import { isOpenToSignUp } from '../domain/registration.ts'
import { interactionPath } from '../oidc/endpoints.ts'
import { answerConsent } from './answerConsent.ts'
import { answerRefusal } from './answerRefusal.ts'
import { answerSignIn } from './answerSignIn.ts'
import { createCsrf } from './csrf.ts'
import { nameOfSchool } from './enginePages.ts'
import { formBody } from './formBody.ts'
import { ownFormOnly, sameOriginOnly } from './ownForm.ts'
import { pageErrors } from './pageErrors.ts'
import type { PagesArguments } from './pagesArguments.ts'
import { createPresenter } from './presenter.ts'
import { showInteraction } from './showInteraction.ts'
import { serveStylesheet } from './stylesheet.ts'
import { createViews } from './views.ts'

/** The pages of an authorization: sign in, consent, refuse. They work without JavaScript. */
export function createPages(args: PagesArguments): Router {
  const views = createViews()
  const csrf = createCsrf(args.keyring)
  const present = createPresenter({
    views,
    csrf,
    schoolName: args.schoolName,
    mayRegister: (school) => isOpenToSignUp(args.database.sql, school.id),
  })
  const errors = pageErrors({ views, log: args.log, nameOf: nameOfSchool(args.schoolName) })
  const form = [errors, sameOriginOnly(), formBody(), ownFormOnly(csrf)] as const
  const page = `${interactionPath}/:uid`

  const router = new Router()
  router.get('/assets/:name', serveStylesheet(views.stylesheet))
  router.get(page, errors, showInteraction(args, present))
  router.post(`${page}/sign-in`, ...form, answerSignIn(args, present))
  router.post(`${page}/consent`, ...form, answerConsent(args, present))
  router.post(`${page}/refuse`, ...form, answerRefusal(args))
  // Whoever reloads the address of a form that failed comes back to the question.
  router.get(`${page}/:step`, (ctx) => ctx.redirect(`${interactionPath}/${encodeURIComponent(String(ctx.params.uid))}`))
  return router
}
