import type { Context } from 'koa'
import { type StoredDocument, storeDocument } from '../../base/http/document.ts'
import { authMethods } from './clientOptions.ts'
import type { SchoolRuntime } from './runtimes.ts'

/** Paths of the metadata (RFC 8414 section 3, OpenID Connect Discovery section 4), including those that clients of `/mcp` try first. */
export const metadataPaths = [
  '/.well-known/oauth-authorization-server',
  '/.well-known/oauth-authorization-server/mcp',
  '/.well-known/openid-configuration',
  '/.well-known/openid-configuration/mcp',
] as const

const maxAgeSeconds = 300

/** Returns the engine's metadata without the parts that this service does not offer, and with the school's links. */
export async function metadataDocument(
  ctx: Context,
  runtime: SchoolRuntime,
  { privacy, terms, acceptsDocuments }: { privacy?: string; terms?: string; acceptsDocuments: boolean },
): Promise<StoredDocument> {
  const links = { ...(privacy && { op_policy_uri: privacy }), ...(terms && { op_tos_uri: terms }) }
  const body: Record<string, unknown> = JSON.parse(await engineText(ctx, runtime, '/.well-known/openid-configuration'))
  const { token_endpoint_auth_signing_alg_values_supported: _, ...offered } = body
  const overrides = {
    response_modes_supported: ['query', 'form_post'],
    token_endpoint_auth_methods_supported: authMethods,
    client_id_metadata_document_supported: acceptsDocuments,
  }
  return stored(JSON.stringify({ ...offered, ...overrides, ...links }))
}

export async function keysDocument(ctx: Context, runtime: SchoolRuntime, path: string): Promise<StoredDocument> {
  return stored(await engineText(ctx, runtime, path))
}

/** Returns the engine's response for `path`. The engine builds it once. */
async function engineText(ctx: Context, { engineTexts, dispatch }: SchoolRuntime, path: string): Promise<string> {
  const known = engineTexts.get(path)
  if (known) return known
  const original = { path: ctx.path, method: ctx.method }
  const vary = ctx.res.getHeader('Vary')
  Object.assign(ctx, { path, method: 'GET' })
  try {
    await dispatch(ctx, async () => undefined)
    if (ctx.status !== 200) throw new Error(`the engine answered ${ctx.status} at ${path}`)
    const text = JSON.stringify(ctx.body)
    engineTexts.set(path, text)
    return text
  } finally {
    Object.assign(ctx, original)
    ctx.body = null
    // The engine's CORS rules are not those of this service.
    if (vary === undefined) ctx.res.removeHeader('Vary')
    else ctx.res.setHeader('Vary', vary)
  }
}

const stored = (text: string): StoredDocument => storeDocument(text, { type: 'application/json', maxAgeSeconds })
