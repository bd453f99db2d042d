import type { RegisteredVia } from './clients.ts'
import { type Handle, rawSql } from './rawSql.ts'

/** What a grant holds, as the engine keeps it: scope names with spaces between them, without a resource and by resource. */
export interface GrantPayload {
  openid?: { scope?: string }
  resources?: Record<string, string>
}

/** A live grant with the client that it was given to; the client's columns are null where it is gone. */
export interface ConnectedAppRow {
  grant_id: string
  client_id: string
  payload: GrantPayload
  created_at: Date
  last_used_at: Date | null
  registered_via: RegisteredVia | null
  registered_at: Date | null
  metadata: Record<string, unknown> | null
}

/** What an account allowed, the newest `limit` of it. */
export function listConnectedApps(sql: Handle, schoolId: string, accountId: string, limit: number): Promise<ConnectedAppRow[]> {
  return rawSql(sql).query<ConnectedAppRow>(
    `SELECT g.id AS grant_id, g.client_id, g.payload, g.created_at, g.last_used_at, c.registered_via, c.created_at AS registered_at, c.metadata
       FROM oidc_grant g
       LEFT JOIN oidc_client c ON c.school_id = g.school_id AND c.id = g.client_id AND c.disabled_at IS NULL
      WHERE g.school_id = $1 AND g.account_id = $2 AND g.revoked_at IS NULL AND g.expires_at > now()
      ORDER BY g.created_at DESC, g.id
      LIMIT $3`,
    [schoolId, accountId, limit],
  )
}

/** What the account's live grants to one client hold. */
export async function listGrantPayloads(
  sql: Handle,
  schoolId: string,
  { accountId, clientId }: { accountId: string; clientId: string },
): Promise<GrantPayload[]> {
  const rows = await rawSql(sql).query<{ payload: GrantPayload }>(
    `SELECT payload FROM oidc_grant
      WHERE school_id = $1 AND account_id = $2 AND client_id = $3 AND revoked_at IS NULL AND expires_at > now()
      ORDER BY created_at DESC, id LIMIT 100`,
    [schoolId, accountId, clientId],
    'grant_payloads',
  )
  return rows.map(({ payload }) => payload)
}

/** Ids and clients of all live grants of an account, or of the one that is named, where it is theirs. */
export function listOwnGrants(
  sql: Handle,
  schoolId: string,
  accountId: string,
  grantId?: string,
): Promise<{ id: string; client_id: string }[]> {
  return rawSql(sql).query(
    `SELECT id, client_id FROM oidc_grant
      WHERE school_id = $1 AND account_id = $2 AND revoked_at IS NULL AND expires_at > now() AND ($3::text IS NULL OR id = $3)`,
    [schoolId, accountId, grantId ?? null],
  )
}
