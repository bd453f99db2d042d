import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Context } from 'koa'

/** A style sheet with a URL that changes with its content. */
export interface Stylesheet {
  name: string
  href: string
  version: string
  body: string
}

export function stylesheet(name: string, body: string): Stylesheet {
  const version = createHash('sha256').update(body).digest('base64url').slice(0, 16)
  return { name, href: `/assets/${name}?v=${version}`, version, body }
}

/** The style sheet of all schools: shapes and sizes without colours. */
export function readStylesheet(): Stylesheet {
  const name = 'schoolgate.css'
  return stylesheet(name, readFileSync(new URL(`../../views/assets/${name}`, import.meta.url), 'utf8'))
}

/** Serves a style sheet. Caches keep it for ever under its versioned URL, otherwise for five minutes. */
export function serveStylesheet(ctx: Context, { version, body }: Stylesheet): void {
  const isCurrent = ctx.query.v === version
  ctx.set('Cache-Control', isCurrent ? 'public, max-age=31536000, immutable' : 'public, max-age=300')
  ctx.set('X-Content-Type-Options', 'nosniff')
  ctx.etag = version
  ctx.type = 'text/css; charset=utf-8'
  ctx.status = 200
  if (ctx.fresh) ctx.status = 304
  else ctx.body = body
}
