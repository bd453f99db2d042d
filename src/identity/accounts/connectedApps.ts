import type { SchoolReader, Stored } from '../../database/connection/database.ts'
import {
  type ConnectedAppRow,
  type GrantOriginRow,
  type GrantPayload,
  type GrantState,
  listConnectedApps,
  listGrantOrigins,
  listOwnGrants,
  pastDays,
} from '../../database/tables/connectedApps.ts'
import { type ClientSource, originOf } from '../clients/clientOrigin.ts'

export { pastDays }

export interface ConnectedApp {
  grantId: string
  clientId: string
  /** The name that the app gave itself, unchecked. Undefined if the app has no name or was deleted. */
  name: unknown
  /** The name that the person gave it; undefined if they gave it none. */
  ownName: string | undefined
  /** Undefined if the app was deleted or disabled. */
  origin: (ClientSource & { createdAt: Date }) | undefined
  redirectUris: unknown[]
  scopes: ReadonlySet<string>
  refusedScopes: ReadonlySet<string>
  allowedAt: Date
  lastUsedAt: Date | undefined
  endsAt: Date
  /** Undefined while it is live. */
  endedAt: Date | undefined
  /** When it was paused; undefined if it is not. */
  pausedAt: Date | undefined
  pausedBy: 'school' | 'person' | undefined
  /** True if the person decides before it does what cannot be undone. */
  asksFirst: boolean
}

/**
 * Lists at most `limit` authorizations of an account, newest first: live ones, unless `state` says otherwise; with `isUsed` only those that an
 * app has redeemed. `isMore` is true if there are more.
 */
export async function connectedApps(
  database: SchoolReader,
  { limit, ...of }: { accountId: string; limit: number; isUsed?: boolean; state?: GrantState },
): Promise<{ apps: ConnectedApp[]; isMore: boolean }> {
  const rows = await listConnectedApps(database, database.schoolId, { ...of, limit: limit + 1 })
  return { apps: rows.slice(0, limit).map(present), isMore: rows.length > limit }
}

/** Returns from where the person allowed each of these grants, by its id. A grant whose audit entry is gone is left out. */
export async function grantOrigins(
  database: SchoolReader,
  grants: { accountId: string; grantIds: readonly string[] },
): Promise<ReadonlyMap<string, GrantOriginRow>> {
  const rows = await listGrantOrigins(database, grants)
  return new Map(rows.map((row) => [row.grant_id, row]))
}

export type OwnGrant = Stored<'oidc_grant', 'id' | 'client_id'>

export const ownGrants = (database: SchoolReader, accountId: string): Promise<OwnGrant[]> =>
  listOwnGrants(database, database.schoolId, accountId)

export async function ownGrant(
  database: SchoolReader,
  { accountId, grantId }: { accountId: string; grantId: string },
): Promise<OwnGrant | undefined> {
  if (!/^[\w-]{1,128}$/.test(grantId)) return undefined
  return (await listOwnGrants(database, database.schoolId, accountId, grantId))[0]
}

function present({ grant_id: grantId, payload, metadata, ...row }: ConnectedAppRow): ConnectedApp {
  const { registered_via: via, registered_at: createdAt } = row
  const redirectUris = metadata?.redirect_uris
  return {
    grantId,
    clientId: row.client_id,
    name: metadata?.client_name,
    ownName: row.own_name ?? undefined,
    origin: via === null || createdAt === null ? undefined : { ...originOf(row.client_id, via), createdAt },
    redirectUris: Array.isArray(redirectUris) ? redirectUris : [],
    scopes: scopesOf(payload),
    refusedScopes: scopesOf(payload.rejected ?? {}),
    allowedAt: row.created_at,
    lastUsedAt: row.last_used_at ?? undefined,
    endsAt: row.expires_at,
    endedAt: row.ended_at ?? undefined,
    pausedAt: row.school_paused_at ?? row.paused_at ?? undefined,
    pausedBy: row.school_paused_at ? 'school' : row.paused_at ? 'person' : undefined,
    asksFirst: row.asks_first,
  }
}

export async function ownGrantsTo(database: SchoolReader, { accountId, clientId }: { accountId: string; clientId: string }) {
  return (await listOwnGrants(database, database.schoolId, accountId)).filter((grant) => grant.client_id === clientId)
}

export function scopesOf({ openid, resources }: GrantPayload): ReadonlySet<string> {
  return new Set([openid?.scope, ...Object.values(resources ?? {})].flatMap(namesIn))
}

export const namesIn = (scope: string | undefined): string[] => (scope ?? '').split(' ').filter(Boolean)
