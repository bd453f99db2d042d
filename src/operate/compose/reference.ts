import type { Middleware } from 'koa'
import type { ApiDocument } from '../../agents/reference/apiDocument.ts'
import { referenceCallbackPath, serveReference } from '../../agents/reference/serveReference.ts'
import { schoolBranding } from '../../database/tables/schools.ts'
import { ensureReferenceClient } from '../../identity/oidc/referenceClient.ts'
import type { Foundation } from './foundation.ts'

/** Creates the API reference, rendered from the same description as `/openapi.json`. */
export function createReference({ database, stores, texts }: Foundation): Middleware {
  let document: ApiDocument | undefined
  return serveReference({
    nameOf: async ({ id }) => (await schoolBranding(database.kysely, id)).name,
    document() {
      const published: ApiDocument = document ?? JSON.parse(texts.openApi() ?? '')
      document = published
      return published
    },
    clientOf: (school) => ensureReferenceClient(stores, school, referenceCallbackPath),
  })
}
