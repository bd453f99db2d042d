import type { Context } from 'koa'
import { hash } from '../lib/keyring.ts'

/** How long documents that are built from the data of a school are served without reading the data again. */
export const freshMilliseconds = 1000

/** A document that is built once and served many times. */
export interface StoredDocument {
  body: Buffer
  type: string
  etag: string
  maxAgeSeconds: number
}

export function storeDocument(text: string, { type, maxAgeSeconds }: { type: string; maxAgeSeconds: number }): StoredDocument {
  return { body: Buffer.from(text), type, etag: `"${hash(text).slice(0, 22)}"`, maxAgeSeconds }
}

/**
 * Returns true if `If-None-Match` contains this entity tag, by weak comparison (RFC 9110 section 13.1.2). Browsers' fetch also sends
 * `Cache-Control: no-cache`, which concerns caches: an origin still responds with 304.
 */
export function isKnown(ifNoneMatch: string, etag: string): boolean {
  const opaque = (tag: string): string => tag.trim().replace(/^W\//, '')
  return ifNoneMatch.split(',').some((tag) => tag.trim() === '*' || opaque(tag) === opaque(etag))
}

/**
 * Responds with the document, or with 304 if the client has it (RFC 9110 section 13).
 *
 * With `freshMilliseconds`, the complete response is stored in the response table for this time: it must be the same for every caller of the
 * school, whatever the query and the headers of the request are.
 */
export function serveDocument(ctx: Context, document: StoredDocument, storing?: { freshMilliseconds: number }): void {
  const { body, type, etag, maxAgeSeconds } = document
  ctx.status = 200
  ctx.set('ETag', etag)
  ctx.set('Cache-Control', `public, max-age=${maxAgeSeconds}`)
  ctx.type = type
  ctx.body = body
  if (storing) ctx.state.storable = { document, contentType: ctx.response.get('Content-Type'), ...storing }
  if (isKnown(ctx.get('if-none-match'), etag)) ctx.status = 304
}
