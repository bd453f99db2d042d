import { listGrantPayloads } from '../../store/connectedApps.ts'
import type { Sql } from '../../store/sql.ts'
import { namesIn } from './connectedApps.ts'

/** What a person has allowed a client: the names, and how far each reaches. */
export interface AllowedScopes {
  names: ReadonlySet<string>
  byResource: ReadonlyMap<string, ReadonlySet<string>>
}

/** What the person's live grants to this client hold together. What was revoked or has expired is not among it. */
export async function allowedScopes(sql: Sql, schoolId: string, of: { accountId: string; clientId: string }): Promise<AllowedScopes> {
  const grants = await listGrantPayloads(sql, schoolId, of)
  const byResource = Map.groupBy(
    grants.flatMap(({ resources }) => Object.entries(resources ?? {})),
    ([resource]) => resource,
  )
  return {
    names: new Set(grants.flatMap(({ openid }) => namesIn(openid?.scope))),
    byResource: new Map([...byResource].map(([resource, scopes]) => [resource, new Set(scopes.flatMap(([, scope]) => namesIn(scope)))])),
  }
}
