import { type SqlBool, sql } from 'kysely'
import type { Reader, SchoolReader, Stored } from '../connection/database.ts'
import { type Condition, now } from '../statements/expressions.ts'
import type { RegisteredVia } from './clients.ts'

/** Scopes as the engine stores them: names separated by spaces, without a resource and by resource. */
export interface GrantScopes {
  openid?: { scope?: string }
  resources?: Record<string, string>
}

/** The scopes that a person has granted and, in `rejected`, those that they have refused. */
export interface GrantPayload extends GrantScopes {
  rejected?: GrantScopes
}

/** How long a grant is kept and shown after its end, in days: no request can be taken back for longer (`undo.days`). */
export const pastDays = 90

/** Selects grants that are live, that ended within `pastDays`, or both. */
export type GrantState = 'live' | 'ended' | 'any'

const end = sql<Date>`least(oidc_grant.expires_at, oidc_grant.revoked_at)`
/** True for a row of `oidc_grant` with which its app can still get tokens, unless it is paused. */
export const isLiveGrant = sql<SqlBool>`${end} > now()`
const conditions: Readonly<Record<GrantState, Condition>> = {
  live: isLiveGrant,
  ended: sql<SqlBool>`${end} <= now() AND ${end} > now() - make_interval(days => ${sql.lit(pastDays)})`,
  any: sql<SqlBool>`${end} > now() - make_interval(days => ${sql.lit(pastDays)})`,
}

/** A grant with the client that it was given to; the client's columns are null where it is gone. */
export interface ConnectedAppRow extends Stored<'oidc_grant', 'client_id' | 'own_name' | 'created_at' | 'last_used_at' | 'expires_at'> {
  grant_id: string
  payload: GrantPayload
  /** When it ended; null for a live one. */
  ended_at: Date | null
  /** When the person paused it. */
  paused_at: Date | null
  /** True if the person decides before it does what cannot be undone. */
  asks_first: boolean
  /** When the school paused its client. */
  school_paused_at: Date | null
  registered_via: RegisteredVia | null
  registered_at: Date | null
  metadata: Record<string, unknown> | null
}

/** Returns grants of an account, at most `limit`: live ones first, then those that ended last. `isUsed`: only those that an app has redeemed. */
export function listConnectedApps(
  db: Reader,
  schoolId: string,
  { accountId, limit, isUsed = false, state = 'live' }: { accountId: string; limit: number; isUsed?: boolean; state?: GrantState },
): Promise<ConnectedAppRow[]> {
  return db
    .selectFrom('oidc_grant')
    .leftJoin('oidc_client', (join) =>
      join
        .onRef('oidc_client.school_id', '=', 'oidc_grant.school_id')
        .onRef('oidc_client.id', '=', 'oidc_grant.client_id')
        .on((row) => row.or([row('oidc_client.disabled_at', 'is', null), row.not(isLiveGrant)])),
    )
    .select([
      'oidc_grant.id as grant_id',
      'oidc_grant.client_id',
      'oidc_grant.own_name',
      'oidc_grant.payload',
      'oidc_grant.created_at',
      'oidc_grant.last_used_at',
    ])
    .select((row) => row.case().when(isLiveGrant).then(null).else(end).end().as('ended_at'))
    .select(['oidc_grant.expires_at', 'oidc_grant.paused_at', 'oidc_grant.asks_first', 'oidc_client.paused_at as school_paused_at'])
    .select(['oidc_client.registered_via', 'oidc_client.created_at as registered_at', 'oidc_client.metadata'])
    .where('oidc_grant.school_id', '=', schoolId)
    .where('oidc_grant.account_id', '=', accountId)
    .where(conditions[state])
    .$if(isUsed, (grants) => grants.where('oidc_grant.last_used_at', 'is not', null))
    .orderBy('ended_at', (order) => order.desc().nullsFirst())
    .orderBy('oidc_grant.created_at', 'desc')
    .orderBy('oidc_grant.id')
    .limit(limit)
    .$narrowType<Pick<ConnectedAppRow, 'payload' | 'registered_via' | 'metadata'>>()
    .execute()
}

/** The browser and the address from which a person gave a grant, as the audit trail has them. */
export interface GrantOriginRow {
  grant_id: string
  address: string | null
  browser: { browser?: string; system?: string } | null
}

/** Returns from where these grants were given. A grant whose audit entry is gone is left out. */
export async function listGrantOrigins(
  db: SchoolReader,
  { accountId, grantIds }: { accountId: string; grantIds: readonly string[] },
): Promise<GrantOriginRow[]> {
  if (grantIds.length === 0) return []
  const rows = await db
    .selectFrom('audit_log')
    .select(['grant_id', 'address', 'details'])
    .where('account_id', '=', accountId)
    .where('event', '=', 'consent.granted')
    .where((row) => row('grant_id', '=', row.fn.any(row.val(grantIds))))
    .$narrowType<{ grant_id: string; details: { browser?: GrantOriginRow['browser'] } }>()
    .execute()
  return rows.map(({ grant_id, address, details }) => ({ grant_id, address, browser: details.browser ?? null }))
}

/** Returns the account's live grants to one client, the newest first, at most a hundred. */
export function listGrantsToClient(
  db: Reader,
  schoolId: string,
  { accountId, clientId }: { accountId: string; clientId: string },
): Promise<{ id: string; payload: GrantPayload; asks_first: boolean }[]> {
  return liveGrants(db, schoolId, accountId)
    .select(['id', 'payload', 'asks_first'])
    .where('client_id', '=', clientId)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(100)
    .$narrowType<{ payload: GrantPayload }>()
    .execute()
}

/** Returns ids and clients of the grants of an account that are live or ended within `pastDays`. */
export function listRecentGrants(db: Reader, schoolId: string, accountId: string): Promise<{ id: string; client_id: string }[]> {
  return db
    .selectFrom('oidc_grant')
    .select(['id', 'client_id'])
    .where('school_id', '=', schoolId)
    .where('account_id', '=', accountId)
    .where(conditions.any)
    .execute()
}

/** Returns ids and clients of all live grants of an account, or of the named one if it belongs to the account. */
export function listOwnGrants(
  db: Reader,
  schoolId: string,
  accountId: string,
  grantId?: string,
): Promise<{ id: string; client_id: string }[]> {
  const grants = liveGrants(db, schoolId, accountId).select(['id', 'client_id'])
  return (grantId === undefined ? grants : grants.where('id', '=', grantId)).execute()
}

const liveGrants = (db: Reader, schoolId: string, accountId: string) =>
  db
    .selectFrom('oidc_grant')
    .where('school_id', '=', schoolId)
    .where('account_id', '=', accountId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
