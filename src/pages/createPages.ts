import { Router } from '@koa/router'
import type { Context } from 'koa'
import { serveDocument, storeDocument } from '../base/http/document.ts'
import type { School } from '../base/school.ts'
import { xmlText } from '../base/text/xmlText.ts'
import { schoolThemeColours } from '../base/themeColours.ts'
import { interactionPath } from '../identity/oidc/endpoints.ts'
import { customCss } from '../school/settings/publicAppearance.ts'
import { serveAsset } from './asset.ts'
import { createCsrf } from './csrf.ts'
import { fontsPath, serveFont } from './fonts.ts'
import { formBody } from './formBody.ts'
import { homePage } from './homePage.ts'
import { interactionPages } from './interactionPages.ts'
import { ownFormOnly, sameOriginOnly } from './ownForm.ts'
import { pageErrors } from './pageErrors.ts'
import { setPageHeaders } from './pageHeaders.ts'
import type { PagesArguments } from './pagesArguments.ts'
import type { PageTheme } from './pageTheme.ts'
import { submitRefusal } from './refuseAuthorization.ts'
import { repeatedSteps } from './repeatedSteps.ts'
import { schoolStylesheet, schoolStylesheetName } from './schoolStylesheet.ts'
import { createStepRunner } from './steps/stepRunner.ts'
import { createViews } from './templates.ts'

/** The pages of an authorization request: sign in, consent, refuse. They work without JavaScript. */
export function createPages(args: PagesArguments): Router {
  const views = createViews()
  const csrf = createCsrf(args.keyring)
  const { show, submitSignIn, submitConsent } = interactionPages(args, createStepRunner(args, { views, csrf }))
  const errors = pageErrors({ views, log: args.log, pageContext: args.pageContext })
  const repeated = repeatedSteps(args.stores)
  const form = [errors, sameOriginOnly(), formBody(), ownFormOnly(csrf), repeated] as const
  const page = `${interactionPath}/:uid`

  const router = new Router()
  router.get(
    '/assets/custom.css',
    serveCustomStylesheet((school) => customCss(args.databaseOf(school.id).kysely)),
  )
  for (const asset of [views.stylesheet, views.siteStylesheet, views.script, views.passkeyScript])
    router.get(asset.path, (ctx) => serveAsset(ctx, asset))
  router.get(`${fontsPath}/:name`, serveFont)
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

/** Returns the icon of a school for browser tabs: the first letter of its name, in its colours. */
function favicon(name: string, theme: PageTheme): string {
  const { light } = schoolThemeColours(theme)
  const [letter = 'S'] = name.match(/[\p{L}\p{N}]/u) ?? []
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="6" fill="${light.primary}"/><text x="16" y="23" font-family="sans-serif" font-size="20" font-weight="700" text-anchor="middle" fill="${light.onPrimary}">${xmlText(letter.toUpperCase())}</text></svg>\n`
}

/**
 * Serves the school's custom stylesheet; caches keep it for one minute. The pages of this service do not link to it, so it cannot change
 * the forms of sign-in and consent.
 */
function serveCustomStylesheet(readCss: (school: School) => Promise<string>) {
  return async (ctx: Context): Promise<void> => {
    const css = await readCss(ctx.state.school)
    ctx.set('X-Content-Type-Options', 'nosniff')
    serveDocument(ctx, storeDocument(css, { type: 'text/css; charset=utf-8', maxAgeSeconds: 60 }))
  }
}
