import type { Context, Middleware } from 'koa'
import { serveDocument, storeDocument } from '../http/document.ts'
import { allowMethods } from '../http/methods.ts'
import type { AppRules } from '../policy/appAccess.ts'
import { appsPath } from '../policy/apps.ts'
import type { AppsGuide } from '../policy/appsGuide.ts'
import type { School } from '../policy/school.ts'
import { appsGuide } from './appsGuide.ts'
import type { FindPageContext } from './pageContext.ts'
import { setPageHeaders } from './pageHeaders.ts'
import { createViews, frame } from './templates.ts'

export interface ServeAppsGuideArguments {
  pageContext: FindPageContext
  rulesOf(school: School): AppRules
  docsUrl(school: School): string
  renderMarkdown(guide: AppsGuide): string
}

const markdownPath = `${appsPath}.md`

/** Serves the guide for connecting apps as a page, and as Markdown for agents: at its own path, or by `Accept`. */
export function serveAppsGuide({ pageContext, rulesOf, docsUrl, renderMarkdown }: ServeAppsGuideArguments): Middleware {
  const views = createViews()
  return async (ctx: Context, next) => {
    if (ctx.path !== appsPath && ctx.path !== markdownPath) return next()
    if (allowMethods(ctx, ['GET', 'HEAD']) === 'answered') return
    const { school } = ctx.state
    const page = await pageContext(ctx)
    const { issuer, slug } = school
    const args = { issuer, slug, schoolName: page.schoolName, docsUrl: docsUrl(school), rules: rulesOf(school) }
    const guide = appsGuide(page.texts, args)
    // The language follows the browser and the choice that it remembers.
    ctx.vary(['Accept', 'Accept-Language', 'Cookie'])
    ctx.set('Content-Language', page.texts.language)
    if (ctx.path === markdownPath || ctx.accepts('html', 'text/markdown') === 'text/markdown') {
      serveDocument(ctx, storeDocument(renderMarkdown(guide), { type: 'text/markdown; charset=utf-8', maxAgeSeconds: 60 }))
      return
    }
    ctx.set('Link', `<${issuer}${markdownPath}>; rel="alternate"; type="text/markdown"`)
    setPageHeaders(ctx)
    ctx.type = 'html'
    ctx.body = views.render('apps-guide', { ...frame(views, page, page.texts.text('apps_guide.title')), ...guide })
  }
}
