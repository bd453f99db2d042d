import { type Handle, rawSql } from './rawSql.ts'
import { storableJson } from './storableText.ts'

/** A live grant as the engine stored it, or undefined where it has ended. */
export async function findGrant(sql: Handle, schoolId: string, id: string): Promise<Record<string, unknown> | undefined> {
  const rows = await rawSql(sql).query<{ payload: Record<string, unknown> }>(
    `SELECT payload FROM oidc_grant WHERE school_id = $1 AND id = $2 AND revoked_at IS NULL AND expires_at > now()`,
    [schoolId, id],
    'grant_find',
  )
  return rows[0]?.payload
}

/**
 * Writes a grant, and that its client was authorized now. What a person answered once stands: the same grant, written again,
 * stays as it is.
 */
export async function saveGrant(
  sql: Handle,
  grant: { schoolId: string; id: string; accountId: string; clientId: string; payload: object; expiresInSeconds: number },
): Promise<void> {
  await rawSql(sql).query(
    `WITH used AS (UPDATE oidc_client SET last_used_at = now() WHERE school_id = $1 AND id = $4)
     INSERT INTO oidc_grant (school_id, id, account_id, client_id, payload, expires_at)
     VALUES ($1, $2, $3, $4, $5::jsonb, now() + make_interval(secs => $6))
     ON CONFLICT (school_id, id) DO NOTHING`,
    [grant.schoolId, grant.id, grant.accountId, grant.clientId, storableJson(grant.payload), grant.expiresInSeconds],
    'grant_save',
  )
}

export interface GrantRow {
  id: string
  account_id: string
  client_id: string
  payload: Record<string, unknown>
  created_at: Date
  last_used_at: Date | null
  expires_at: Date
}

/** The live grants of a school, newest first; of one account or one client where named. */
export function listGrants(
  sql: Handle,
  schoolId: string,
  { accountId, clientId }: { accountId?: string; clientId?: string } = {},
): Promise<GrantRow[]> {
  return rawSql(sql).query<GrantRow>(
    `SELECT id, account_id, client_id, payload, created_at, last_used_at, expires_at FROM oidc_grant
      WHERE school_id = $1 AND revoked_at IS NULL AND expires_at > now()
        AND ($2::uuid IS NULL OR account_id = $2) AND ($3::text IS NULL OR client_id = $3)
      ORDER BY created_at DESC, id`,
    [schoolId, accountId ?? null, clientId ?? null],
  )
}
