import { type ConnectedAppRow, type GrantPayload, listConnectedApps, listOwnGrants } from '../../store/connectedApps.ts'
import type { Sql } from '../../store/sql.ts'

/** One authorization that a person gave, with what is known of the app. */
export interface ConnectedApp {
  grantId: string
  clientId: string
  /** As the app calls itself: whatever a stranger wrote; undefined where it says nothing, or is gone. */
  name: unknown
  /** Undefined where the app's registration has ended. */
  origin: { registeredVia: 'self' | 'integration'; createdAt: Date } | undefined
  redirectUris: unknown[]
  scopes: ReadonlySet<string>
  allowedAt: Date
  lastUsedAt: Date | undefined
}

/** What an account allowed, newest first, at most `limit` of it. `isMore` says that there is more. */
export async function connectedApps(
  sql: Sql,
  schoolId: string,
  { accountId, limit }: { accountId: string; limit: number },
): Promise<{ apps: ConnectedApp[]; isMore: boolean }> {
  const rows = await listConnectedApps(sql, schoolId, accountId, limit + 1)
  return { apps: rows.slice(0, limit).map(present), isMore: rows.length > limit }
}

/** Names a live grant for ending it. */
export interface OwnGrant {
  id: string
  client_id: string
}

/** All live grants of the account. */
export const ownGrants = (sql: Sql, schoolId: string, accountId: string): Promise<OwnGrant[]> => listOwnGrants(sql, schoolId, accountId)

/** The grant, where it is live and the account's own. */
export async function ownGrant(
  sql: Sql,
  schoolId: string,
  { accountId, grantId }: { accountId: string; grantId: string },
): Promise<OwnGrant | undefined> {
  if (!/^[\w-]{1,128}$/.test(grantId)) return undefined
  return (await listOwnGrants(sql, schoolId, accountId, grantId))[0]
}

function present({ grant_id: grantId, payload, metadata, ...row }: ConnectedAppRow): ConnectedApp {
  const { registered_via: via, registered_at: createdAt } = row
  const redirectUris = metadata?.redirect_uris
  return {
    grantId,
    clientId: row.client_id,
    name: metadata?.client_name,
    origin: via === null || createdAt === null ? undefined : { registeredVia: via === 'self' ? 'self' : 'integration', createdAt },
    redirectUris: Array.isArray(redirectUris) ? redirectUris : [],
    scopes: scopesOf(payload),
    allowedAt: row.created_at,
    lastUsedAt: row.last_used_at ?? undefined,
  }
}

/** Every scope that the grant holds, with or without a resource. */
function scopesOf({ openid, resources }: GrantPayload): ReadonlySet<string> {
  return new Set([openid?.scope, ...Object.values(resources ?? {})].flatMap(namesIn))
}

/** The names in a scope value (RFC 6749 section 3.3). */
export const namesIn = (scope: string | undefined): string[] => (scope ?? '').split(' ').filter(Boolean)
