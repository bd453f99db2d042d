import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Context } from 'koa'
import { isKnown } from '../base/http/document.ts'

/** A style sheet or a script with a URL that changes with its content. */
export interface Asset {
  name: string
  path: string
  href: string
  version: string
  body: string
}

export function asset(name: string, body: string): Asset {
  const version = createHash('sha256').update(body).digest('base64url').slice(0, 16)
  const path = `/assets/${name}`
  return { name, path, href: `${path}?v=${version}`, version, body }
}

/** Reads an asset of all schools: `schoolgate.css` (shapes and sizes without colours), `pages.js` or `passkeys.js`. */
export function readAsset(name: string): Asset {
  return asset(name, readFileSync(new URL(`../../views/assets/${name}`, import.meta.url), 'utf8'))
}

/** Serves an asset. Caches keep it for ever under its versioned URL, otherwise for five minutes. */
export function serveAsset(ctx: Context, { name, version, body }: Asset): void {
  const isCurrent = ctx.query.v === version
  ctx.set('Cache-Control', isCurrent ? 'public, max-age=31536000, immutable' : 'public, max-age=300')
  ctx.set('X-Content-Type-Options', 'nosniff')
  ctx.etag = version
  ctx.type = name.endsWith('.js') ? 'text/javascript; charset=utf-8' : 'text/css; charset=utf-8'
  ctx.status = 200
  if (isKnown(ctx.get('if-none-match'), ctx.response.get('ETag'))) ctx.status = 304
  else ctx.body = body
}
