import type { Middleware } from 'koa'
import { type StoredDocument, serveDocument, storeDocument } from '../http/document.ts'
import { allowMethods } from '../http/methods.ts'
import type { OpenApiArguments, OpenApiFacts } from './openApiArguments.ts'
import { openApiDocument } from './openApiDocument.ts'

const maxCached = 100

/** Serves `/openapi.json` with the URLs of the school. The document is cached until the facts of the school change. */
export function createOpenApi(args: OpenApiArguments): Middleware {
  const documents = new Map<string, StoredDocument>()
  const documentOf = (facts: OpenApiFacts): StoredDocument => {
    const key = JSON.stringify(facts)
    const found = documents.get(key)
    if (found) return found
    const created = storeDocument(JSON.stringify(openApiDocument(args, facts)), { type: 'application/json', maxAgeSeconds: 300 })
    if (documents.size >= maxCached) documents.clear()
    documents.set(key, created)
    return created
  }
  return async (ctx, next) => {
    if (ctx.path !== '/openapi.json') return next()
    if (allowMethods(ctx, ['GET', 'HEAD']) === 'answered') return
    const school = ctx.state.school
    serveDocument(ctx, documentOf({ issuer: school.issuer, ...(await args.facts(school)) }))
  }
}
