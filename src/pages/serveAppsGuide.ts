import type { Context, Middleware } from 'koa'
import { serveDocument, storeDocument } from '../base/http/document.ts'
import { allowMethods } from '../base/http/methods.ts'
import type { School } from '../base/school.ts'
import type { AppRules } from '../identity/apps/appAccess.ts'
import { appsPath } from '../identity/apps/apps.ts'
import type { AppGuide, AppsGuide, GuideBlock } from '../identity/apps/appsGuide.ts'
import { appsGuide } from './appsGuide.ts'
import { frame } from './frame.ts'
import type { FindPageContext } from './pageContext.ts'
import { setPageHeaders } from './pageHeaders.ts'
import { createViews } from './templates.ts'

export interface ServeAppsGuideArguments {
  pageContext: FindPageContext
  rulesOf(school: School): Promise<AppRules>
  docsUrl(school: School): string
  renderMarkdown(guide: AppsGuide): string
}

const markdownPath = `${appsPath}.md`

export function serveAppsGuide({ pageContext, rulesOf, docsUrl, renderMarkdown }: ServeAppsGuideArguments): Middleware {
  const views = createViews()
  return async (ctx: Context, next) => {
    if (ctx.path !== appsPath && ctx.path !== markdownPath) return next()
    if (allowMethods(ctx, ['GET', 'HEAD']) === 'answered') return
    const { school } = ctx.state
    const page = await pageContext(ctx)
    const { issuer, slug } = school
    const args = { issuer, slug, schoolName: page.schoolName, docsUrl: docsUrl(school), rules: await rulesOf(school) }
    const guide = appsGuide(page.texts, args)
    // The language follows the browser and the choice that it remembers.
    ctx.vary(['Accept', 'Accept-Language', 'Cookie'])
    ctx.set('Content-Language', page.texts.language)
    if (ctx.path === markdownPath || ctx.accepts('html', 'text/markdown') === 'text/markdown') {
      serveDocument(ctx, storeDocument(renderMarkdown(guide), { type: 'text/markdown; charset=utf-8', maxAgeSeconds: 60 }))
      return
    }
    ctx.set('Link', `<${issuer}${markdownPath}>; rel="alternate"; type="text/markdown"`)
    setPageHeaders(ctx, { scripts: [views.script] })
    ctx.type = 'html'
    const { texts } = page
    ctx.body = views.render('apps-guide', {
      ...frame(views, page, texts.text('apps_guide.title')),
      ...withIds(guide),
      isIndexed: true,
      script: views.script.href,
      copy: { submit: texts.text('calendar.copy'), done: texts.text('calendar.copied') },
    })
  }
}

interface CopiedBlock extends GuideBlock {
  id: string
}

/** The guide, with an id for each block that a button copies. */
export interface CopiedGuide {
  addressBlock: CopiedBlock
  apps: (Omit<AppGuide, 'setup' | 'operator'> & {
    setup: CopiedBlock[]
    operator: { heading: string; text: string; options: CopiedBlock[] } | undefined
  })[]
}

function withIds(guide: AppsGuide): Omit<AppsGuide, 'apps'> & CopiedGuide {
  const named = (blocks: readonly GuideBlock[], prefix: string): CopiedBlock[] =>
    blocks.map((block, at) => ({ ...block, id: `${prefix}-${at + 1}` }))
  return {
    ...guide,
    addressBlock: { label: guide.address.label, code: guide.address.value, id: 'address' },
    apps: guide.apps.map((app) => ({
      ...app,
      setup: named(app.setup, `${app.id}-setup`),
      operator: app.operator && { ...app.operator, options: named(app.operator.options, `${app.id}-operator`) },
    })),
  }
}
