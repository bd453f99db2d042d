import { Router } from '@koa/router'
import { customCss } from '../domain/school/appearance.ts'
import { interactionPath } from '../oidc/endpoints.ts'
import { serveAsset } from './asset.ts'
import { createCsrf } from './csrf.ts'
import { serveCustomStylesheet } from './customStylesheet.ts'
import { favicon } from './favicon.ts'
import { formBody } from './formBody.ts'
import { homePage } from './homePage.ts'
import { interactionPages } from './interactionPages.ts'
import { ownFormOnly, sameOriginOnly } from './ownForm.ts'
import { pageErrors } from './pageErrors.ts'
import { setPageHeaders } from './pageHeaders.ts'
import type { PagesArguments } from './pagesArguments.ts'
import { submitRefusal } from './refuseAuthorization.ts'
import { repeatedSteps } from './repeatedSteps.ts'
import { schoolStylesheet, schoolStylesheetName } from './schoolStylesheet.ts'
import { createStepRunner } from './steps/stepRunner.ts'
import { createViews } from './templates.ts'

/** The pages of an authorization request: sign in, consent, refuse. They work without JavaScript. */
export function createPages(args: PagesArguments): Router {
  const views = createViews()
  const csrf = createCsrf(args.keyring)
  const { database, steps, signedIn } = args
  const { show, submitSignIn, submitConsent } = interactionPages(args, createStepRunner({ steps, database, views, csrf, signedIn }))
  const errors = pageErrors({ views, log: args.log, pageContext: args.pageContext })
  const repeated = repeatedSteps(args.findEnd)
  const form = [errors, sameOriginOnly(), formBody(), ownFormOnly(csrf), repeated] as const
  const page = `${interactionPath}/:uid`

  const router = new Router()
  router.get(
    '/assets/custom.css',
    serveCustomStylesheet((school) => customCss(database.kysely, school.id)),
  )
  for (const asset of [views.stylesheet, views.siteStylesheet, views.script, views.passkeyScript])
    router.get(asset.path, (ctx) => serveAsset(ctx, asset))
  router.get(`/assets/${schoolStylesheetName}`, async (ctx) => serveAsset(ctx, schoolStylesheet(await args.theme(ctx.state.school))))
  router.get('/', errors, async (ctx) => {
    setPageHeaders(ctx)
    ctx.type = 'html'
    ctx.body = views.render('home', homePage(views, await args.pageContext(ctx), await args.homeFacts(ctx.state.school)))
  })
  router.get('/favicon.ico', async (ctx) => {
    const { schoolName } = await args.pageContext(ctx)
    ctx.set('Cache-Control', 'public, max-age=3600')
    ctx.type = 'image/svg+xml'
    ctx.body = favicon(schoolName, await args.theme(ctx.state.school))
  })
  router.get(page, errors, repeated, show)
  router.post(`${page}/sign-in`, ...form, submitSignIn)
  router.post(`${page}/consent`, ...form, submitConsent)
  router.post(`${page}/refuse`, ...form, submitRefusal(args))
  // Reloading the address of a form that failed leads back to the page of the form.
  router.get(`${page}/:action`, (ctx) => ctx.redirect(`${interactionPath}/${encodeURIComponent(String(ctx.params.uid))}`))
  return router
}
