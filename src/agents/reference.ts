import { readFileSync } from 'node:fs'
import ejs from 'ejs'
import type { Middleware } from 'koa'
import { freshMilliseconds, serveDocument, storeDocument } from '../http/document.ts'
import { allowMethods } from '../http/methods.ts'
import { lazily } from '../lib/lazily.ts'
import { problems } from '../lib/problem.ts'
import type { School } from '../policy/school.ts'
import { findReferenceFiles } from './referenceFiles.ts'
import { paths } from './schoolFacts.ts'

/** Path of the reference, and of its list of errors with an anchor each. */
const referencePath = paths.reference
const errorsPath = `${referencePath}/errors`
const assetsPath = `${referencePath}/assets/`

const links = [
  { href: referencePath, text: 'Reference' },
  { href: errorsPath, text: 'Errors' },
  { href: paths.authMd, text: 'Getting a token' },
  { href: paths.openApi, text: 'OpenAPI description' },
]

/**
 * Allows scripts, styles and requests of this origin, and nothing inline. That is sufficient for Swagger UI: its styles are one file, and
 * it sets element styles through the DOM.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

/** Serves the API's description as pages for people, with all files from this origin. */
export function serveReference(nameOf: (school: School) => Promise<string>): Middleware {
  const errors = Object.entries(problems)
    .map(([code, problem]) => ({ code, ...problem }))
    .toSorted((left, right) => left.status - right.status)
  const pages = new Map([
    [referencePath, readView('reference')],
    [errorsPath, readView('errors')],
  ])
  // Found when somebody opens the reference: their versions are hashes of two megabytes.
  const reference = lazily(async () => {
    const files = await findReferenceFiles(referencePath)
    return {
      assets: Object.fromEntries(files.map(({ name, href }) => [name, href])),
      files: new Map(files.map((file) => [`${assetsPath}${file.name}`, file])),
    }
  })
  return async (ctx, next) => {
    const render = pages.get(ctx.path)
    if (!render && !ctx.path.startsWith(assetsPath)) return next()
    const { assets, files } = await reference()
    const file = files.get(ctx.path)
    if (!render && !file) return next()
    if (allowMethods(ctx, ['GET', 'HEAD']) === 'answered') return
    if (file) serveDocument(ctx, await file.read())
    if (!render) return
    const text = render({ name: await nameOf(ctx.state.school), links, assets, errors })
    ctx.set('Content-Security-Policy', policy)
    serveDocument(ctx, storeDocument(text, { type: 'text/html; charset=utf-8', maxAgeSeconds: 300 }), { freshMilliseconds })
  }
}

const readView = (name: string): ((page: object) => string) =>
  ejs.compile(readFileSync(new URL(`../../views/${name}.ejs`, import.meta.url), 'utf8'), { strict: true, localsName: 'page' })
