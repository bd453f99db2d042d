import type { Readable } from 'node:stream'
import type { Context } from 'koa'
import { Problem } from '../problem.ts'
import { type ByteRange, readRange } from './byteRange.ts'
import { isKnown } from './document.ts'

export interface StoredBytes {
  bytes: number
  contentType: string
  /** Strong entity tag: it changes with the bytes. */
  etag: string
  read(range: ByteRange | undefined): Promise<Readable>
}

/**
 * Responds with bytes, with one range of them, or with 304 if the client has them (RFC 9110 sections 13 and 14).
 * @throws Problem range_not_satisfiable
 */
export async function serveBytes(ctx: Context, headers: Readonly<Record<string, string>>, stored: StoredBytes): Promise<void> {
  const { bytes, contentType, etag, read } = stored
  const range = wantedRange(ctx, stored)
  if (range === 'unsatisfiable') {
    throw new Problem('range_not_satisfiable', {
      description: `Range must begin within the ${bytes} bytes of the file.`,
      headers: { 'Content-Range': `bytes */${bytes}`, 'Accept-Ranges': 'bytes' },
    })
  }
  const isCached = isKnown(ctx.get('if-none-match'), etag) && ctx.get('if-none-match') !== ''
  const part = range === 'whole' ? undefined : range
  const body = isCached || ctx.method === 'HEAD' ? null : await read(part)
  ctx.set({ ...headers, ETag: etag, 'Accept-Ranges': 'bytes' })
  ctx.body = body
  ctx.status = isCached ? 304 : part ? 206 : 200
  if (isCached) return
  ctx.set('Content-Type', contentType)
  ctx.set('Content-Length', String(part ? part.last - part.first + 1 : bytes))
  if (part) ctx.set('Content-Range', `bytes ${part.first}-${part.last}/${bytes}`)
}

/** `Range` applies to GET only, and with `If-Range` only to exactly these bytes (sections 14.2 and 13.1.5). */
function wantedRange(ctx: Context, { bytes, etag }: StoredBytes): ReturnType<typeof readRange> {
  const condition = ctx.get('if-range')
  if (ctx.method !== 'GET' || (condition !== '' && condition !== etag)) return 'whole'
  return readRange(ctx.get('range'), bytes)
}
