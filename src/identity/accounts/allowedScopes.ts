import type { SchoolReader } from '../../database/connection/database.ts'
import { listGrantsToClient } from '../../database/tables/connectedApps.ts'
import { namesIn } from './connectedApps.ts'

/** The scopes that a person granted to a client: all names, and the names by resource. */
export interface AllowedScopes {
  names: ReadonlySet<string>
  byResource: ReadonlyMap<string, ReadonlySet<string>>
  /** True if the app asks before it does what cannot be undone; undefined without a live grant. */
  asksFirst: boolean | undefined
}

/** Returns the union of the scopes in the person's live grants to a client. Revoked and expired grants do not count. */
export async function allowedScopes(database: SchoolReader, of: { accountId: string; clientId: string }): Promise<AllowedScopes> {
  const grants = await listGrantsToClient(database, database.schoolId, of)
  const byResource = Map.groupBy(
    grants.flatMap(({ payload }) => Object.entries(payload.resources ?? {})),
    ([resource]) => resource,
  )
  return {
    asksFirst: grants.length === 0 ? undefined : grants.some(({ asks_first }) => asks_first),
    names: new Set(grants.flatMap(({ payload }) => namesIn(payload.openid?.scope))),
    byResource: new Map([...byResource].map(([resource, scopes]) => [resource, new Set(scopes.flatMap(([, scope]) => namesIn(scope)))])),
  }
}
