import type { Context, Middleware } from 'koa'
import { serveDocument, storeDocument } from '../../http/document.ts'
import { allowMethods } from '../../http/methods.ts'
import type { Log } from '../../lib/log.ts'
import { Problem } from '../../lib/problem.ts'
import type { School } from '../../policy/school.ts'
import type { SiteContent } from '../../policy/sitePage.ts'
import { isSitePath, siteAddress } from '../../resources/sitePaths.ts'
import type { FindPageContext } from '../pageContext.ts'
import { pageErrors } from '../pageErrors.ts'
import { setPageHeaders } from '../pageHeaders.ts'
import { createViews } from '../templates.ts'
import type { SiteChrome } from './siteChrome.ts'
import { type AskedList, listPath, siteContent } from './siteContent.ts'
import type { SiteSource } from './siteSource.ts'
import type { SiteContext } from './siteType.ts'
import { siteView } from './siteView.ts'

export interface SiteArguments {
  log: Log
  pageContext: FindPageContext
  /** Returns false if another site shows the pages of the school. */
  isServed(school: School): boolean
  sourceOf(school: School): SiteSource
  chromeOf(school: School): Promise<SiteChrome>
  checkoutOf(school: School): SiteContext['checkoutOf']
  /**
   * Counts the request against the rate limit of visitors.
   * @throws Problem rate_limited
   */
  count(ctx: Context): Promise<void>
  renderMarkdown(content: SiteContent, school: { issuer: string; name: string }): string
}

/** How long caches keep a page. They revalidate it by ETag. */
const maxAgeSeconds = 60

/**
 * Serves the public pages of a school: lists and single rows, as HTML for people and search engines, and as Markdown for agents (by
 * `Accept`, or at the path with `.md`). A page is the same for visitors and for people who are signed in.
 */
export function serveSite(args: SiteArguments): Middleware {
  const views = createViews()
  const errors = pageErrors({ views, log: args.log, pageContext: args.pageContext })

  const respond = async (ctx: Context): Promise<void> => {
    if (allowMethods(ctx, ['GET', 'HEAD']) === 'answered') return
    ctx.vary(['Accept', 'Accept-Language', 'Cookie'])
    const { school } = ctx.state
    const { issuer } = school
    await args.count(ctx)
    const address = siteAddress(withoutSlash(ctx.path))
    const asked = askedList(ctx)
    const again = address && address.slug === undefined ? listPath(address.kind, asked) : ctx.path
    const page = await args.pageContext(ctx, again)
    const { texts, schoolName } = page
    const isMarkdown = address?.isMarkdown || prefersMarkdown(ctx)
    const chrome = await args.chromeOf(school)
    const context = { issuer, schoolName, texts, tax: chrome.school.tax_mode, checkoutOf: args.checkoutOf(school) }
    const content = await siteContent(args.sourceOf(school), { address, context, ...asked })
    const [path = ''] = content.path.split('?')
    const canonicalPath = address?.isMarkdown ? `${path}.md` : path
    if (ctx.path !== canonicalPath) return moved(ctx, issuer + canonicalPath)
    ctx.set('Content-Language', texts.language)
    if (isMarkdown) {
      ctx.set('Link', `<${issuer}${content.path}>; rel="canonical"`)
      const text = args.renderMarkdown(content, { issuer, name: schoolName })
      serveDocument(ctx, storeDocument(text, { type: 'text/markdown; charset=utf-8', maxAgeSeconds }))
    } else {
      const html = views.render('site', siteView(views, { content, chrome, page, issuer, now: new Date() }))
      setPageHeaders(ctx)
      serveDocument(ctx, storeDocument(html, { type: 'text/html; charset=utf-8', maxAgeSeconds }))
    }
    // The response sets a cookie, which no cache may share.
    if (ctx.state.chosenLanguage) ctx.set('Cache-Control', 'no-store')
  }

  return async (ctx, next) => {
    if (!isSitePath(ctx.path) || !args.isServed(ctx.state.school)) return next()
    await errors(ctx, () => respond(ctx))
  }
}

const askedList = ({ query: { cursor, past } }: Context): AskedList => ({
  cursor: typeof cursor === 'string' ? cursor : undefined,
  isPast: past === '1',
})

const withoutSlash = (path: string): string => (path.endsWith('/') ? path.slice(0, -1) : path)

/** @throws Problem not_acceptable */
function prefersMarkdown(ctx: Context): boolean {
  const type = ctx.accepts('text/html', 'text/markdown')
  if (type === false) throw new Problem('not_acceptable', { description: 'This URL responds with text/html, text/markdown.' })
  return type === 'text/markdown'
}

/** Leads an id, and a path that ends with a slash, to the only path of the page. */
function moved(ctx: Context, url: string): void {
  ctx.status = 301
  ctx.redirect(url)
  ctx.set('Cache-Control', `public, max-age=${maxAgeSeconds}`)
}
