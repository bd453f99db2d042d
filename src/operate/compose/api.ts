import type { Middleware } from 'koa'
import type { RequestState } from '../../base/http/requestState.ts'
import { schoolDatabase } from '../../database/school/inSchool.ts'
import { schoolContact } from '../../database/tables/schools.ts'
import type { ExternalServices } from '../../engine/externalServices.ts'
import { type ApiDescription, apiDescription, createOpenApi } from '../../engine/rest/openApi.ts'
import { createApi } from '../../engine/rest/routes.ts'
import { type BearerArguments, createAuthenticate } from '../../identity/oidc/bearer.ts'
import type { Foundation } from './foundation.ts'
import { limited } from './rateLimits.ts'

export interface ApiParts {
  externalServices: ExternalServices
}

/** Returns the arguments that REST and MCP share: two entry points to the same operations. */
export const operationArguments = ({ operations, database, signer, statements, run }: Foundation, externalServices: ExternalServices) => ({
  operations,
  databaseOf: (schoolId: string) => schoolDatabase(database, schoolId, 'person'),
  signer,
  statements,
  run,
  externalServices,
})

export const createCallerOf = (
  { runtime, tokenChecks, stores, keyring, grantable, limits, contentVersions }: Foundation,
  resourcePath?: BearerArguments['resourcePath'],
) =>
  limited(
    createAuthenticate({
      tokenChecks: tokenChecks.api,
      grantable,
      mustAskFirst: () => runtime.config.oauth.consent.ask_first === 'always',
      now: keyring.now,
      ...(resourcePath !== undefined && { resourcePath }),
    }),
    {
      limits,
      holderOf: tokenChecks.api.holderOf,
      together: stores.ephemeral.together,
      ...(resourcePath === '/mcp' && { surface: 'mcp' as const }),
      contentVersion: contentVersions.read,
    },
  )

export function createRestApi(
  foundation: Foundation,
  { externalServices }: ApiParts,
): Record<'routes' | 'openApi', Middleware<RequestState>> & { description(): ApiDescription } {
  const { operations, scopes, database } = foundation
  const api = createApi({
    ...operationArguments(foundation, externalServices),
    authenticate: createCallerOf(foundation),
    countCall: foundation.grantUses.count,
  })
  let described: ApiDescription | undefined
  const description = (): ApiDescription => {
    described ??= apiDescription(operations)
    return described
  }
  return {
    routes: api,
    description,
    openApi: createOpenApi({ description, scopes, facts: ({ id }) => schoolContact(database.kysely, id) }),
  }
}
