import type { Context, Middleware } from 'koa'
import { serveDocument, storeDocument } from '../../base/http/document.ts'
import { allowMethods } from '../../base/http/methods.ts'
import type { Log } from '../../base/log/log.ts'
import type { School } from '../../base/school.ts'
import type { SiteContent } from '../../base/sitePage.ts'
import { isSitePath, type SiteAddress, siteAddress } from '../../engine/sitePaths.ts'
import type { ApiReader } from '../../school/apiRows.ts'
import type { SubjectType } from '../../school/comments/commentAccess.ts'
import type { Commenting } from '../../school/comments/mayComment.ts'
import { filledIn, type KeptForms } from '../account/keptForms.ts'
import { formSubject, type SignedInPerson } from '../account/signedInPerson.ts'
import type { Csrf } from '../csrf.ts'
import type { FindPageContext, PageContext } from '../pageContext.ts'
import { pageErrors } from '../pageErrors.ts'
import { setPageHeaders } from '../pageHeaders.ts'
import { PageProblem } from '../pageProblem.ts'
import type { PictureArguments } from '../pictures/servePictures.ts'
import { createViews } from '../templates.ts'
import type { Texts } from '../texts.ts'
import { guessedPath } from './guessedPaths.ts'
import { homeContent } from './homeContent.ts'
import type { SiteChrome } from './siteChrome.ts'
import { listPath, noPage, noParts, siteContent } from './siteContent.ts'
import { forPrograms, listPositionOf, maxAgeSeconds, moved, prefersMarkdown, withoutSlash, wordsOf } from './siteRequest.ts'
import { missingContent, searchContent, searchPath } from './siteSearch.ts'
import type { SiteContext } from './siteType.ts'
import { type SiteView, siteView } from './siteView.ts'
import { readViewer } from './siteViewer.ts'

export interface SiteArguments {
  log: Log
  pageContext: FindPageContext
  /** Returns false if another site shows the pages of the school. */
  isServed(school: School): boolean
  /** Returns what the person who is signed in reads through the API; without one, what visitors read. */
  sourceOf(ctx: Context, person: SignedInPerson | undefined): ApiReader
  /** Returns the person who is signed in in this browser. */
  personOf(ctx: Context): Promise<SignedInPerson | undefined>
  csrf: Csrf
  keptForms: Pick<KeptForms, 'find'>
  /** Returns the bar for a person who works at the school. */
  manageOf(ctx: Context, person: SignedInPerson, page: { address: SiteAddress | undefined; texts: Texts }): Promise<SiteContent['manage']>
  chromeOf(school: School): Promise<SiteChrome>
  checkoutOf(school: School): SiteContext['checkoutOf']
  /** Returns the path of the row that had this path on another site. */
  formerPathOf(school: School, path: string): Promise<string | undefined>
  /** Returns what the reader can write at a subject, by its public id. */
  commentingOn(ctx: Context, person: SignedInPerson | undefined, subject: { type: SubjectType; id: string }): Promise<Commenting>
  /** Returns the id with which the API names the person as a member. */
  memberOf(ctx: Context, person: SignedInPerson): Promise<string | undefined>
  /**
   * Counts the request against the rate limit of visitors.
   * @throws Problem rate_limited
   */
  count(ctx: Context): Promise<void>
  renderMarkdown(content: SiteContent, school: { issuer: string; name: string }): string
}

/**
 * Serves the public pages of a school: lists and single rows, as HTML for people and search engines, and as Markdown for agents (by
 * `Accept`, or at the path with `.md`). Visitors and Markdown get the same page, which caches may share; a person who is signed in gets
 * their own. `rest` shows people a page where no other part of the service has one, and `frameOf` returns what surrounds a page of another part.
 */
export function serveSite(args: SiteArguments): {
  pages: Middleware
  rest: Middleware
  frameOf: FrameOf
  titleAt: PictureArguments['titleAt']
} {
  const views = createViews()
  const errors = pageErrors({ views, log: args.log, pageContext: args.pageContext })

  /** Reads what every page of a request needs. */
  const reading = async (ctx: Context, person: SignedInPerson | undefined, { address, again, isForReading }: PageRequest = {}) => {
    const { school } = ctx.state
    const page = await args.pageContext(ctx, again)
    const { texts, schoolName } = page
    const chrome = await args.chromeOf(school)
    const source = args.sourceOf(ctx, person)
    const context: SiteContext = {
      ...{ issuer: school.issuer, schoolName, texts, checkoutOf: args.checkoutOf(school) },
      ...{ tax: chrome.school.tax_mode, contactEmail: chrome.school.contact_email, schoolLocale: chrome.school.locale },
      hasPlans: chrome.kinds.includes('plans'),
      viewer: person && (await readViewer(source, address, await args.memberOf(ctx, person))),
      commentingOn: isForReading ? undefined : (subject) => args.commentingOn(ctx, person, subject),
    }
    return { page, chrome, source, context }
  }
  const viewOf = (ctx: Context, content: SiteContent, { page, chrome, context }: Shown, person: SignedInPerson | undefined): SiteView =>
    siteView(views, {
      ...{ content, chrome, page, issuer: context.issuer, now: new Date() },
      isLanguageChosen: ctx.state.chosenLanguage === page.texts.language,
      person: person && { name: person.who.name, csrf: args.csrf.issue(ctx, formSubject(person), person.accountId) },
    })
  const show = async (ctx: Context, content: SiteContent, shown: Shown, person: SignedInPerson | undefined): Promise<void> => {
    const { texts } = shown.page
    ctx.set('Content-Language', texts.language)
    const render = (notices: readonly string[]): string =>
      views.render('site', viewOf(ctx, { ...content, notices: [...notices, ...content.notices] }, shown, person))
    const kept = person && (await args.keptForms.find(ctx, person.accountId, ctx.path))
    const withKept = kept && filledIn(render([texts.text('account.kept')]), kept)
    const html = withKept ?? render([])
    setPageHeaders(ctx, { hasPlayers: html.includes('<iframe ') })
    serveDocument(ctx, storeDocument(html, { type: 'text/html; charset=utf-8', maxAgeSeconds }))
  }

  const respond = async (ctx: Context): Promise<void> => {
    if (allowMethods(ctx, ['GET', 'HEAD']) === 'answered') return
    ctx.vary(['Accept', 'Accept-Language', 'Cookie'])
    const { school } = ctx.state
    const { issuer } = school
    await args.count(ctx)
    const address = siteAddress(withoutSlash(ctx.path))
    const position = listPositionOf(ctx, address?.kind)
    const isSpecial = ctx.path === '/' || ctx.path === searchPath
    const isMarkdown = !isSpecial && (address?.isMarkdown || prefersMarkdown(ctx))
    const person = isMarkdown ? undefined : await args.personOf(ctx)
    const words = wordsOf(ctx)
    const again =
      address && address.slug === undefined ? listPath(address.kind, position) : ctx.path + (ctx.path === searchPath ? ctx.search : '')
    const read = await reading(ctx, person, { address, again, isForReading: isMarkdown })
    const content =
      ctx.path === '/'
        ? await homeContent(read)
        : ctx.path === searchPath
          ? await searchContent(read, words)
          : await siteContent(read.source, { address, context: read.context, ...position })
    const [path = ''] = content.path.split('?')
    const canonicalPath = address?.isMarkdown ? `${path}.md` : path
    if (ctx.path !== canonicalPath) return moved(ctx, issuer + canonicalPath)
    if (isMarkdown) {
      ctx.set('Content-Language', read.page.texts.language)
      ctx.set('Link', `<${issuer}${content.path}>; rel="canonical"`)
      const text = args.renderMarkdown(content, { issuer, name: read.page.schoolName })
      serveDocument(ctx, storeDocument(text, { type: 'text/markdown; charset=utf-8', maxAgeSeconds }))
    } else
      await show(
        ctx,
        { ...content, manage: person && (await args.manageOf(ctx, person, { address, texts: read.page.texts })) },
        read,
        person,
      )
    // A page of one person, or a response that sets a cookie, which no cache may share.
    if (person || ctx.res.hasHeader('Set-Cookie')) ctx.set('Cache-Control', 'private, no-store')
  }

  /** Shows a page in the frame of the site for an address at which there is nothing. */
  const missing = async (ctx: Context): Promise<void> => {
    const person = await args.personOf(ctx)
    const read = await reading(ctx, person)
    await show(ctx, missingContent(ctx.path, read), read, person)
    ctx.remove('ETag')
    ctx.status = 404
    ctx.set('Cache-Control', 'no-store')
  }
  /** Leads a path that a row had on another site to the row, if visitors can see it. */
  const isMoved = async (ctx: Context): Promise<boolean> => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return false
    await args.count(ctx)
    const path = await args.formerPathOf(ctx.state.school, ctx.path)
    const there = path === undefined ? undefined : await contentAt(ctx, path)
    if (there) moved(ctx, ctx.state.school.issuer + there.path)
    return there !== undefined
  }
  /** Returns what visitors see at a path; undefined if there is nothing. */
  const contentAt = async (ctx: Context, path: string): Promise<SiteContent | undefined> => {
    const address = siteAddress(path)
    const { source, context } = await reading(ctx, undefined, { address, isForReading: true })
    try {
      return await siteContent(source, { address, context, cursor: undefined, isPast: false, query: {} })
    } catch (error) {
      if (error instanceof PageProblem && error.kind === 'no_such_page') return undefined
      throw error
    }
  }
  const isBrowser = (ctx: Context): boolean => (ctx.method === 'GET' || ctx.method === 'HEAD') && ctx.accepts('json', 'html') === 'html'

  return {
    async frameOf(ctx, { title, path }) {
      if (!args.isServed(ctx.state.school)) return undefined
      const person = await args.personOf(ctx)
      const read = await reading(ctx, person, { again: path })
      const breadcrumbs = [{ href: '/', label: read.context.schoolName }]
      const content = { ...noParts, path, title, heading: title, description: title, isIndexed: false, sections: [], breadcrumbs, data: [] }
      return viewOf(ctx, content, read, person)
    },
    async titleAt(ctx, path) {
      if (!args.isServed(ctx.state.school)) return undefined
      if (path === '/') {
        const { chrome, context } = await reading(ctx, undefined, { isForReading: true })
        return chrome.school.tagline || context.schoolName
      }
      const content = await contentAt(ctx, path)
      return content && (content.heading ?? content.title)
    },
    async pages(ctx, next) {
      const isOurs = isSitePath(ctx.path) || ctx.path === '/' || ctx.path === searchPath
      if (!isOurs || !args.isServed(ctx.state.school)) return next()
      await errors(ctx, async () => {
        try {
          await respond(ctx)
        } catch (error) {
          if (!(error instanceof PageProblem && error.kind === 'no_such_page' && isBrowser(ctx))) throw error
          await missing(ctx)
        }
      })
    },
    async rest(ctx, next) {
      await next()
      if (ctx.status !== 404 || ctx.body !== undefined || forPrograms.test(ctx.path)) return
      const isServed = args.isServed(ctx.state.school)
      if (isServed && (await isMoved(ctx))) return
      if (!isBrowser(ctx)) return
      ctx.vary('Accept')
      const path = guessedPath(ctx.path)
      if (path !== undefined && path !== ctx.path && (isServed || !isSitePath(path))) {
        ctx.redirect(ctx.state.school.issuer + path + ctx.search)
        return
      }
      await errors(ctx, async () => {
        if (!isServed) throw noPage()
        await missing(ctx)
      })
    },
  }
}

/** Returns the frame of the public pages for another page; undefined if another site shows the public pages of the school. */
export type FrameOf = (ctx: Context, page: { title: string; path: string }) => Promise<SiteView | undefined>

interface PageRequest {
  address?: SiteAddress | undefined
  again?: string
  /** True if the page has no forms. */
  isForReading?: boolean
}

interface Shown {
  page: PageContext
  chrome: SiteChrome
  context: SiteContext
}
