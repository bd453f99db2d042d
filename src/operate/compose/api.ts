import type { Middleware } from 'koa'
import { rateLimitHeaders, requireAllWithin } from '../../base/http/rateLimitHeaders.ts'
import type { RequestState } from '../../base/http/requestState.ts'
import type { School } from '../../base/school.ts'
import { schoolContact } from '../../database/tables/schools.ts'
import { createApi } from '../../engine/rest/routes.ts'
import { createOpenApi } from '../../engine/rest/serveOpenApi.ts'
import { type BearerArguments, createAuthenticate } from '../../identity/oidc/bearer.ts'
import type { Foundation } from './foundation.ts'
import { type Limits, limited } from './rateLimits.ts'

/** Returns the arguments that REST and MCP share: two entry points to the same operations. */
export const operationArguments = ({ operations, databaseOf, signer, statements, rowTexts, run, externalServices }: Foundation) => ({
  ...{ operations, databaseOf, signer, statements, rowTexts, run, externalServices },
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

/**
 * Returns the function that counts a read of the API by a visitor.
 * @throws Problem rate_limited
 */
export const countVisitor =
  ({ countApi }: Pick<Limits, 'countApi'>) =>
  async (of: { school: School; address: string }): Promise<Record<string, string>> => {
    const counts = await countApi({ state: of }, undefined, [])
    requireAllWithin(counts)
    return rateLimitHeaders(counts)
  }

export function createRestApi(foundation: Foundation): { routes: ReturnType<typeof createApi>; openApi: Middleware<RequestState> } {
  const { texts, database } = foundation
  const api = createApi({
    ...operationArguments(foundation),
    authenticate: createCallerOf(foundation),
    countCall: foundation.grantUses.count,
  })
  return {
    routes: api,
    openApi: createOpenApi({ textOf: texts.openApi, facts: ({ id }) => schoolContact(database.kysely, id) }),
  }
}
