import type { Readable } from 'node:stream'
import type { Context } from 'koa'
import { Problem } from '../lib/problem.ts'
import { type ByteRange, readRange } from './byteRange.ts'
import { isKnown } from './document.ts'

/** Bytes that are stored somewhere, and what is true of them. */
export interface StoredBytes {
  bytes: number
  contentType: string
  /** Strong: other bytes, another tag. */
  etag: string
  /** All of them, or a stretch. */
  read(range: ByteRange | undefined): Promise<Readable>
}

/**
 * Answers bytes, or one stretch of them, or that the caller has them (RFC 9110 sections 13 and 14).
 * @throws Problem range_not_satisfiable
 */
export async function serveBytes(ctx: Context, headers: Readonly<Record<string, string>>, stored: StoredBytes): Promise<void> {
  const { bytes, contentType, etag, read } = stored
  const range = wantedRange(ctx, stored)
  if (range === 'unsatisfiable') {
    throw new Problem('range_not_satisfiable', {
      description: `There are ${bytes} bytes: that stretch begins behind them.`,
      headers: { 'Content-Range': `bytes */${bytes}`, 'Accept-Ranges': 'bytes' },
    })
  }
  const isCached = isKnown(ctx.get('if-none-match'), etag) && ctx.get('if-none-match') !== ''
  const stretch = range === 'whole' ? undefined : range
  const body = isCached || ctx.method === 'HEAD' ? null : await read(stretch)
  ctx.set({ ...headers, ETag: etag, 'Accept-Ranges': 'bytes' })
  ctx.body = body
  ctx.status = isCached ? 304 : stretch ? 206 : 200
  if (isCached) return
  ctx.set('Content-Type', contentType)
  ctx.set('Content-Length', String(stretch ? stretch.last - stretch.first + 1 : bytes))
  if (stretch) ctx.set('Content-Range', `bytes ${stretch.first}-${stretch.last}/${bytes}`)
}

/** `Range` counts on GET alone, and under `If-Range` only for exactly these bytes (sections 14.2 and 13.1.5). */
function wantedRange(ctx: Context, { bytes, etag }: StoredBytes): ReturnType<typeof readRange> {
  const condition = ctx.get('if-range')
  if (ctx.method !== 'GET' || (condition !== '' && condition !== etag)) return 'whole'
  return readRange(ctx.get('range'), bytes)
}
