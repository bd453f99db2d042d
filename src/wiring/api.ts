import type { Middleware } from 'koa'
import { type ApiDescription, apiDescription } from '../api/apiDescription.ts'
import { createOpenApi } from '../api/openApi.ts'
import { createApi } from '../api/routes.ts'
import type { RequestState } from '../http/requestState.ts'
import { type BearerArguments, createAuthenticate } from '../oidc/bearer.ts'
import type { ExternalServices } from '../policy/externalServices.ts'
import { schoolContact } from '../store/schools.ts'
import type { Foundation } from './foundation.ts'
import { limited } from './rateLimits.ts'

export interface ApiParts {
  externalServices: ExternalServices
}

/** Returns the arguments that REST and MCP share: two entry points to the same operations. */
export const operationArguments = (
  { operations, database, replica, signer, statements, visitorAnswers }: Foundation,
  externalServices: ExternalServices,
) => ({
  operations,
  database: database.kysely,
  replica,
  store: database,
  signer,
  statements,
  visitorAnswers,
  externalServices,
})

/** Creates the function that identifies the caller of a request and counts the request. */
export const createCallerOf = (
  { tokenChecks, stores, keyring, grantable, limits, contentVersions, replica }: Foundation,
  resourcePath?: BearerArguments['resourcePath'],
) =>
  limited(
    createAuthenticate({
      tokenChecks: tokenChecks.api,
      grantable,
      now: keyring.now,
      ...(resourcePath !== undefined && { resourcePath }),
    }),
    {
      limits,
      holderOf: tokenChecks.api.holderOf,
      together: stores.ephemeral.together,
      ...(resourcePath === '/mcp' && { surface: 'mcp' as const }),
      contentVersion: replica ? undefined : contentVersions.read,
    },
  )

/** Creates the routes of the REST API and its description. */
export function createRestApi(
  foundation: Foundation,
  { externalServices }: ApiParts,
): Record<'routes' | 'openApi', Middleware<RequestState>> & { description(): ApiDescription } {
  const { operations, scopes, database } = foundation
  const api = createApi({ ...operationArguments(foundation, externalServices), authenticate: createCallerOf(foundation) })
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
