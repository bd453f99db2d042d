import type { Context } from 'koa'
import { hash } from '../lib/keyring.ts'

/** A document that is made once and served many times. */
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
 * Whether `If-None-Match` names this entity tag, compared weakly (RFC 9110 section 13.1.2).
 * A `Cache-Control: no-cache` beside it, which browsers' fetch adds, is for caches: an origin still answers 304.
 */
export function isKnown(ifNoneMatch: string, etag: string): boolean {
  const opaque = (tag: string): string => tag.trim().replace(/^W\//, '')
  return ifNoneMatch.split(',').some((tag) => tag.trim() === '*' || opaque(tag) === opaque(etag))
}

/** Answers the document, or 304 to who has it (RFC 9110 section 13). */
export function serveDocument(ctx: Context, { body, type, etag, maxAgeSeconds }: StoredDocument): void {
  ctx.status = 200
  ctx.set('ETag', etag)
  ctx.set('Cache-Control', `public, max-age=${maxAgeSeconds}`)
  if (isKnown(ctx.get('if-none-match'), etag)) {
    ctx.status = 304
    return
  }
  ctx.type = type
  ctx.body = body
}
