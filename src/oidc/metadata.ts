import type { Context } from 'koa'
import { type StoredDocument, storeDocument } from '../http/document.ts'
import type { SchoolRuntime } from './runtimes.ts'

/** Where the metadata stand (RFC 8414 section 3, OpenID Connect Discovery section 4), and where clients of `/mcp` look first. */
export const metadataPaths = [
  '/.well-known/oauth-authorization-server',
  '/.well-known/oauth-authorization-server/mcp',
  '/.well-known/openid-configuration',
  '/.well-known/openid-configuration/mcp',
] as const

const maxAgeSeconds = 300

/** The authorization server's metadata: what the engine says of itself, less what this service does not offer. Made once. */
export async function metadataDocument(ctx: Context, runtime: SchoolRuntime): Promise<StoredDocument> {
  return madeByEngine(ctx, runtime, '/.well-known/openid-configuration', (metadata) => ({
    ...metadata,
    response_modes_supported: ['query'],
  }))
}

/** The public keys. */
export async function keysDocument(ctx: Context, runtime: SchoolRuntime, path: string): Promise<StoredDocument> {
  return madeByEngine(ctx, runtime, path, (keys) => keys)
}

async function madeByEngine(
  ctx: Context,
  { documents, dispatch }: SchoolRuntime,
  path: string,
  finish: (body: Record<string, unknown>) => Record<string, unknown>,
): Promise<StoredDocument> {
  const stored = documents.get(path)
  if (stored) return stored
  const asked = { path: ctx.path, method: ctx.method }
  Object.assign(ctx, { path, method: 'GET' })
  try {
    await dispatch(ctx, async () => undefined)
    if (ctx.status !== 200) throw new Error(`the engine answered ${ctx.status} at ${path}`)
    const made = storeDocument(JSON.stringify(finish(ctx.body as Record<string, unknown>)), { type: 'application/json', maxAgeSeconds })
    documents.set(path, made)
    return made
  } finally {
    Object.assign(ctx, asked)
    ctx.body = null
  }
}
