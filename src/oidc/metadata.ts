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

/** Returns the authorization server's metadata: those of the engine, less what this service does not offer, with the school's own links. */
export async function metadataDocument(
  ctx: Context,
  runtime: SchoolRuntime,
  { privacy, terms }: { privacy?: string; terms?: string },
): Promise<StoredDocument> {
  const links = { ...(privacy && { op_policy_uri: privacy }), ...(terms && { op_tos_uri: terms }) }
  const body = await engineBody(ctx, runtime, '/.well-known/openid-configuration')
  return stored(runtime, JSON.stringify({ ...body, response_modes_supported: ['query'], ...links }))
}

/** The public keys. */
export async function keysDocument(ctx: Context, runtime: SchoolRuntime, path: string): Promise<StoredDocument> {
  return stored(runtime, JSON.stringify(await engineBody(ctx, runtime, path)))
}

/** Returns what the engine serves at `path`. The engine makes it once. */
async function engineBody(
  ctx: Context,
  { engineBodies, dispatch }: SchoolRuntime,
  path: string,
): Promise<Readonly<Record<string, unknown>>> {
  const known = engineBodies.get(path)
  if (known) return known
  const asked = { path: ctx.path, method: ctx.method }
  Object.assign(ctx, { path, method: 'GET' })
  try {
    await dispatch(ctx, async () => undefined)
    if (ctx.status !== 200) throw new Error(`the engine answered ${ctx.status} at ${path}`)
    const body = ctx.body as Record<string, unknown>
    engineBodies.set(path, body)
    return body
  } finally {
    Object.assign(ctx, asked)
    ctx.body = null
  }
}

/** How many texts are kept for each school: its keys, and its metadata with the links of now and of before. */
const mostTexts = 10

function stored({ documents }: SchoolRuntime, text: string): StoredDocument {
  const found = documents.get(text)
  if (found) return found
  if (documents.size >= mostTexts) documents.clear()
  const document = storeDocument(text, { type: 'application/json', maxAgeSeconds })
  documents.set(text, document)
  return document
}
