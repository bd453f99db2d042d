import { Router } from '@koa/router'
import { isOpenToSignUp } from '../domain/accounts/signUpAllowed.ts'
import { customCss } from '../domain/school/appearance.ts'
import { interactionPath } from '../oidc/endpoints.ts'
import { answerRefusal } from './answerRefusal.ts'
import { createCsrf } from './csrf.ts'
import { serveCustomStylesheet } from './customStylesheet.ts'
import { formBody } from './formBody.ts'
import { ownFormOnly, sameOriginOnly } from './ownForm.ts'
import { pageErrors } from './pageErrors.ts'
import type { PagesArguments } from './pagesArguments.ts'
import { createPresenter } from './presenter.ts'
import { schoolStylesheet, schoolStylesheetName } from './schoolStylesheet.ts'
import { showInteraction } from './showInteraction.ts'
import { serveStylesheet } from './stylesheet.ts'
import { answerConsent } from './submitConsent.ts'
import { answerSignIn } from './submitSignIn.ts'
import { createViews } from './templates.ts'

/** The pages of an authorization: sign in, consent, refuse. They work without JavaScript. */
export function createPages(args: PagesArguments): Router {
  const views = createViews()
  const csrf = createCsrf(args.keyring)
  const present = createPresenter({
    views,
    csrf,
    pageContext: args.pageContext,
    mayRegister: (school) => isOpenToSignUp(args.database.sql, school.id),
  })
  const errors = pageErrors({ views, log: args.log, pageContext: args.pageContext })
  const form = [errors, sameOriginOnly(), formBody(), ownFormOnly(csrf)] as const
  const page = `${interactionPath}/:uid`

  const router = new Router()
  router.get(
    '/assets/custom.css',
    serveCustomStylesheet((school) => customCss(args.database.sql, school.id)),
  )
  router.get(`/assets/${views.stylesheet.name}`, (ctx) => serveStylesheet(ctx, views.stylesheet))
  router.get(`/assets/${schoolStylesheetName}`, async (ctx) => serveStylesheet(ctx, schoolStylesheet(await args.look(ctx.state.school))))
  router.get(page, errors, showInteraction(args, present))
  router.post(`${page}/sign-in`, ...form, answerSignIn(args, present))
  router.post(`${page}/consent`, ...form, answerConsent(args, present))
  router.post(`${page}/refuse`, ...form, answerRefusal(args))
  // Whoever reloads the address of a form that failed comes back to the question.
  router.get(`${page}/:step`, (ctx) => ctx.redirect(`${interactionPath}/${encodeURIComponent(String(ctx.params.uid))}`))
  return router
}
