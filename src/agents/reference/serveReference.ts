import type { Context, Middleware } from 'koa'
import { freshMilliseconds, serveDocument, storeDocument } from '../../base/http/document.ts'
import { allowMethods } from '../../base/http/methods.ts'
import { problems } from '../../base/problem.ts'
import type { School } from '../../base/school.ts'
import { compileView } from '../../base/text/views.ts'
import { paths } from '../schoolFacts.ts'
import type { ApiDocument } from './apiDocument.ts'
import { areaPage, referenceAreas, searchedAreas } from './referenceAreas.ts'
import { referenceFiles } from './referenceFiles.ts'

const home = paths.reference
const searchPath = `${home}/search`
/** The redirect URI of the built-in client, which sends requests from the reference. */
export const referenceCallbackPath = `${home}/callback`
const longestQuery = 200

const links = [
  { href: home, text: 'Operations' },
  { href: paths.errors, text: 'Errors' },
  { href: paths.authMd, text: 'Getting a token' },
  { href: paths.openApi, text: 'OpenAPI description' },
  { href: paths.apps, text: 'Connecting apps' },
  { href: paths.apiMd, text: 'API map' },
  { href: paths.pricingMd, text: 'Prices' },
  { href: paths.llmsTxt, text: 'Index for agents' },
  { href: paths.skills, text: 'Skills' },
  { href: paths.serverCard, text: 'MCP server card' },
  { href: paths.aiCatalog, text: 'AI catalogue' },
  { href: paths.apiCatalog, text: 'API catalogue' },
]

export interface ReferenceArguments {
  nameOf(school: School): Promise<string>
  document(): ApiDocument
  /** Returns the id of the client that sends requests from these pages; undefined if the school has disabled it. */
  clientOf(school: School): Promise<string | undefined>
}

/**
 * Serves the reference of the API: every operation, a page for each area, and the errors. The pages are complete without scripts; a script
 * filters the list and sends requests.
 */
export function serveReference({ nameOf, document, clientOf }: ReferenceArguments): Middleware {
  const { stylesheet, script } = referenceFiles(`${home}/assets`)
  const files = new Map([stylesheet, script].map((file) => [file.path, file]))
  const views = {
    list: compileView('reference'),
    area: compileView('reference-area'),
    errors: compileView('errors'),
    callback: compileView('reference-callback'),
  }
  const errors = Object.entries(problems)
    .map(([code, problem]) => ({ code, ...problem }))
    .toSorted((left, right) => left.status - right.status)

  const contentOf = async (ctx: Context): Promise<{ text(frame: object): string; topic?: string; isSearch?: true } | undefined> => {
    const { path } = ctx
    if (path === home) return { text: (frame) => views.list({ ...frame, areas: referenceAreas(document()) }) }
    if (path === searchPath) {
      const query = typeof ctx.query.q === 'string' ? ctx.query.q.slice(0, longestQuery) : ''
      return { text: (frame) => views.list({ ...frame, query, areas: searchedAreas(referenceAreas(document()), query) }), isSearch: true }
    }
    if (path === paths.errors) return { topic: 'Errors', text: (frame) => views.errors({ ...frame, errors }) }
    if (path === referenceCallbackPath) return { text: (frame) => views.callback(frame) }
    if (!path.startsWith(`${home}/`)) return undefined
    const page = areaPage(document(), path.slice(home.length + 1))
    return page && { topic: page.title, text: (frame) => views.area({ ...frame, area: page }) }
  }

  return async (ctx, next) => {
    if (ctx.path !== home && !ctx.path.startsWith(`${home}/`)) return next()
    const file = files.get(ctx.path)
    const content = file ? undefined : await contentOf(ctx)
    if (!file && !content) return next()
    if (allowMethods(ctx, ['GET', 'HEAD']) === 'answered') return
    if (file) serveDocument(ctx, file.document)
    if (!content) return
    const { school } = ctx.state
    const [name, clientId] = await Promise.all([nameOf(school), clientOf(school)])
    const text = content.text({
      title: [...(content.topic === undefined ? [] : [content.topic]), `API of ${name}`].join(' · '),
      query: '',
      name,
      links,
      searchPath,
      path: ctx.path,
      stylesheet: stylesheet.href,
      script: script.href,
      client: clientId === undefined ? undefined : { id: clientId, issuer: school.issuer },
    })
    ctx.set('Content-Security-Policy', policy(`${school.issuer}${script.path}`))
    const page = storeDocument(text, { type: 'text/html; charset=utf-8', maxAgeSeconds: 300 })
    serveDocument(ctx, page, content.isSearch ? undefined : { freshMilliseconds })
  }
}

/** Allows the one script, and requests to this origin. Uploaded files have the same origin, and none of them may run. */
const policy = (script: string): string =>
  [
    "default-src 'none'",
    `script-src ${script}`,
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')
