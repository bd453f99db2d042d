import type { Context } from 'koa'
import { Problem } from '../../base/problem.ts'
import type { SiteKind } from '../../engine/sitePaths.ts'
import { type ListPosition, narrowedBy } from './siteContent.ts'

/** How long caches keep a page. They revalidate it by ETag. */
export const maxAgeSeconds = 60

/** Paths at which programs read errors, also if they accept HTML. */
export const forPrograms = /^\/(?:api|mcp|oauth|\.well-known|platform|assets|files)(?:\/|$)/

export const wordsOf = ({ query: { q } }: Context): string => (typeof q === 'string' ? q.trim().slice(0, 100) : '')

export const listPositionOf = ({ query: { cursor, past, ...rest } }: Context, kind: SiteKind | undefined): ListPosition => ({
  cursor: typeof cursor === 'string' ? cursor : undefined,
  isPast: past === '1',
  query: kind === undefined ? {} : narrowedBy(kind, rest),
})

export const withoutSlash = (path: string): string => (path.endsWith('/') ? path.slice(0, -1) : path)

/** @throws Problem not_acceptable */
export function prefersMarkdown(ctx: Context): boolean {
  const type = ctx.accepts('text/html', 'text/markdown')
  if (type === false) throw new Problem('not_acceptable', { description: 'This URL responds with text/html, text/markdown.' })
  return type === 'text/markdown'
}

/** Leads an id, and a path that ends with a slash, to the only path of the page. */
export function moved(ctx: Context, url: string): void {
  ctx.status = 301
  ctx.redirect(url)
  ctx.set('Cache-Control', `public, max-age=${maxAgeSeconds}`)
}
