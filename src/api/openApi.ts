import type { Middleware } from 'koa'
import { type StoredDocument, serveDocument, storeDocument } from '../http/document.ts'
import type { Operation } from '../kit/operations.ts'
import type { ScopeEntry } from '../kit/scopeCatalogue.ts'
import type { School } from '../policy/school.ts'
import { openApiDocument } from './openApiDocument.ts'

export interface OpenApiArguments {
  operations: readonly Operation[]
  scopes: readonly ScopeEntry[]
}

const kept = 100

/** Serves `/openapi.json`, each school's with its own addresses. */
export function createOpenApi(args: OpenApiArguments): Middleware {
  const documents = new Map<string, StoredDocument>()
  const documentOf = (issuer: string): StoredDocument => {
    const found = documents.get(issuer)
    if (found) return found
    const made = storeDocument(JSON.stringify(openApiDocument(args, issuer)), { type: 'application/json', maxAgeSeconds: 300 })
    if (documents.size >= kept) documents.clear()
    documents.set(issuer, made)
    return made
  }
  return async (ctx, next) => {
    if (ctx.path !== '/openapi.json' || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next()
    serveDocument(ctx, documentOf((ctx.state.school as School).issuer))
  }
}
