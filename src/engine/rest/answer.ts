import { Readable } from 'node:stream'
import type { Context } from 'koa'
import type { Caller } from '../../base/caller.ts'
import { isKnown } from '../../base/http/document.ts'
import type { School } from '../../base/school.ts'
import type { ApiResponse } from '../call.ts'
import { type Deprecation, deprecationHeaders } from '../declare/deprecation.ts'

/**
 * Sets the headers of every response to this caller, including errors. Any cache may store the public view for 30 seconds; a response
 * to a token is private. An anonymous caller also gets links to the authorization metadata and the API description, without a challenge.
 */
export function announce(ctx: Context, caller: Caller, { issuer }: School): void {
  const isAnonymous = caller.kind === 'anonymous'
  const isRead = ctx.method === 'GET' || ctx.method === 'HEAD'
  const { res } = ctx
  if (res.hasHeader('Vary')) ctx.vary(varies)
  else res.setHeader('Vary', varies)
  ctx.set('Cache-Control', !isRead ? 'no-store' : isAnonymous ? 'public, max-age=30, stale-while-revalidate=60' : 'private, no-cache')
  if (!isAnonymous) return
  ctx.append('Link', [
    link(`${issuer}/.well-known/oauth-protected-resource`, 'oauth-protected-resource'),
    // Descriptions of the API, for programs and for readers (RFC 8631).
    link(`${issuer}/openapi.json`, 'service-desc'),
    link(`${issuer}/auth.md`, 'service-doc'),
  ])
}

const varies = 'Authorization, Accept, Accept-Encoding'

/** Sets the deprecation headers on every response of the operation, including errors. */
export function announceDeprecation(ctx: Context, deprecation: Deprecation): void {
  const { Link: link = '', ...headers } = deprecationHeaders(deprecation, `${ctx.state.school.issuer}/docs`)
  ctx.set(headers)
  ctx.append('Link', link)
}

/** Sends the response, or 304 if the client has the current version (RFC 9110 section 13.1.2). */
export function respondWith(
  ctx: Context,
  { status, text, bytes, type = 'application/json', etag, headers = {}, list, stream }: ApiResponse,
): void {
  ctx.status = status
  const { issuer } = ctx.state.school
  const { Location: location, ...others } = headers
  ctx.set(others)
  if (location !== undefined) ctx.set('Location', issuer + location)
  if (etag !== undefined) ctx.set('ETag', etag)
  if (list) {
    const page = (cursor: object): string => `${issuer}${ctx.path}?${new URLSearchParams({ ...list.parameters, ...cursor })}`
    if (list.nextCursor !== null) ctx.append('Link', link(page({ cursor: list.nextCursor }), 'next'))
    if (list.prevCursor !== null) ctx.append('Link', link(page({ cursor: list.prevCursor }), 'prev'))
    ctx.append('Link', link(page({}), 'first'))
  }
  if (stream) {
    ctx.set('Content-Type', stream.type)
    ctx.body = ctx.method === 'HEAD' ? null : Readable.from(stream.pieces)
    if (ctx.method === 'HEAD') ctx.status = status
    return
  }
  if (etag !== undefined && (ctx.method === 'GET' || ctx.method === 'HEAD') && isKnown(ctx.get('if-none-match'), etag)) {
    ctx.status = 304
    return
  }
  if (text === '') return
  ctx.type = type
  ctx.body = bytes ?? text
}

const link = (address: string, relation: string): string => `<${address}>; rel="${relation}"`
