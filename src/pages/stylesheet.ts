import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Context } from 'koa'
import { Problem } from '../lib/problem.ts'

/** The one stylesheet, and the address that changes with its content. */
export interface Stylesheet {
  name: string
  href: string
  version: string
  body: string
}

export function readStylesheet(): Stylesheet {
  const name = 'schoolgate.css'
  const body = readFileSync(new URL(`../../views/assets/${name}`, import.meta.url), 'utf8')
  const version = createHash('sha256').update(body).digest('base64url').slice(0, 16)
  return { name, href: `/assets/${name}?v=${version}`, version, body }
}

/**
 * Serves the stylesheet: for ever under its versioned address, five minutes otherwise.
 * @throws Problem not_found for any other name
 */
export function serveStylesheet({ name, version, body }: Stylesheet) {
  return (ctx: Context): void => {
    if (ctx.params.name !== name) throw new Problem('not_found')
    const isCurrent = ctx.query.v === version
    ctx.set('Cache-Control', isCurrent ? 'public, max-age=31536000, immutable' : 'public, max-age=300')
    ctx.set('X-Content-Type-Options', 'nosniff')
    ctx.etag = version
    ctx.type = 'text/css; charset=utf-8'
    ctx.status = 200
    if (ctx.fresh) ctx.status = 304
    else ctx.body = body
  }
}
