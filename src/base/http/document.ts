import type { Context } from 'koa'
import { hash } from '../keyring.ts'
import { utf8 } from '../text/utf8.ts'

/** How long documents that are built from the data of a school are served without reading the data again. */
export const freshMilliseconds = 1000

/** A document that is built once and served many times. */
export interface StoredDocument {
  body: Buffer
  type: string
  etag: string
  maxAgeSeconds: number
  lastModified?: string | undefined
}

interface DocumentProperties {
  type: string
  maxAgeSeconds: number
  changedAt?: Date | undefined
}

export function storeDocument(text: string, { type, maxAgeSeconds, changedAt }: DocumentProperties): StoredDocument {
  return { body: utf8(text), type, etag: `"${hash(text).slice(0, 22)}"`, maxAgeSeconds, lastModified: changedAt?.toUTCString() }
}

/**
 * Returns true if `If-None-Match` contains this entity tag, by weak comparison (RFC 9110 section 13.1.2). Gateways that compress add the
 * encoding to a tag (Apache, Caddy), which makes no difference. Browsers' fetch also sends `Cache-Control: no-cache`, which concerns caches: an
 * origin still responds with 304.
 */
export function isKnown(ifNoneMatch: string, etag: string): boolean {
  const opaque = (tag: string): string => tag.trim().replace(/^W\/|--?(?:gzip|br|zstd|deflate)(?="?$)/g, '')
  return ifNoneMatch.split(',').some((tag) => tag.trim() === '*' || opaque(tag) === opaque(etag))
}

/**
 * Responds with the document, or with 304 if the client has it (RFC 9110 section 13).
 *
 * With `freshMilliseconds`, the complete response is stored in the response table for this time: it must be the same for every caller of the
 * school, whatever the query, other than `section`, and the headers of the request are.
 */
export function serveDocument(ctx: Context, document: StoredDocument, storing?: { freshMilliseconds: number }): void {
  const { body, type, etag, maxAgeSeconds, lastModified } = document
  ctx.status = 200
  ctx.set('ETag', etag)
  ctx.set('Cache-Control', `public, max-age=${maxAgeSeconds}`)
  if (lastModified !== undefined) ctx.set('Last-Modified', lastModified)
  ctx.type = type
  ctx.body = body
  // A dated document is revalidated by its date, too, which the response table does not compare.
  if (storing && lastModified === undefined) ctx.state.storable = { document, contentType: ctx.response.get('Content-Type'), ...storing }
  if (isUnchanged(ctx, document)) ctx.status = 304
}

/** Returns true if the client has the document: by its entity tag, or, if it sends none, by its date (RFC 9110 section 13.1.3). */
function isUnchanged(ctx: Context, { etag, lastModified }: StoredDocument): boolean {
  const tags = ctx.get('if-none-match')
  if (tags !== '' || lastModified === undefined) return isKnown(tags, etag)
  const since = Date.parse(ctx.get('if-modified-since'))
  return !Number.isNaN(since) && since >= Date.parse(lastModified)
}
