import type { Sql } from '../../database/connection/sql.ts'
import type { AuditEntry } from '../../database/tables/audit.ts'
import { auditRows, isNoUsedCode, jsonText } from './redeemArtifacts.ts'

/** A refresh token that its authenticated client revokes. The audit entries get the grant of the token. */
export interface TokenRevocation {
  schoolId: string
  /** Hash of the token. */
  id: string
  clientId: string
  grantTag: string
  audit: readonly AuditEntry[]
}

/**
 * Revokes the grants of refresh tokens in one statement, all or none: of each token that is live, belongs to its client and has a live grant.
 * Returns the grants; undefined for a token of which one of this is not true, and nothing was written for it. Rows are locked in one order,
 * artefacts before grants as everywhere.
 */
export async function revokeTokens(sql: Sql, revocations: readonly TokenRevocation[]): Promise<{ grantId: string | undefined }[]> {
  const items = revocations.map(({ schoolId, id, clientId }, n) => ({ n, school_id: schoolId, id, client_id: clientId }))
  const audit = revocations.flatMap((one, n) => auditRows(one.audit).map((row) => ({ n, ...row })))
  const rows = await sql.query<{ n: number; grant_id: string }>(text, [items, audit].map(jsonText), 'artifacts_revoke')
  const grants = new Map(rows.map(({ n, grant_id: grantId }) => [n, grantId]))
  return revocations.map((_, n) => ({ grantId: grants.get(n) }))
}

// The parameters are in subqueries, so that PostgreSQL keeps one plan whatever the size of the batch. Counts make one part come before another.
const text = `
  WITH item AS MATERIALIZED (
    SELECT i.n, found.*
      FROM jsonb_to_recordset((SELECT $1::jsonb)) AS i (n int, school_id uuid, id text, client_id text)
     CROSS JOIN LATERAL (
        SELECT a.school_id, a.grant_id, a.client_id
          FROM oidc_artifact a
          JOIN oidc_client c ON c.school_id = a.school_id AND c.id = a.client_id AND c.disabled_at IS NULL
          JOIN oidc_grant g ON g.school_id = a.school_id AND g.id = a.grant_id AND g.client_id = a.client_id
                           AND g.revoked_at IS NULL AND g.expires_at > now()
         WHERE a.school_id = i.school_id AND a.model = 'RefreshToken' AND a.id = i.id AND a.client_id = i.client_id AND a.expires_at > now()
        OFFSET 0) AS found
  ), artifact AS MATERIALIZED (
    SELECT a.school_id, a.model, a.id
      FROM (SELECT DISTINCT school_id, grant_id FROM item) i
      JOIN oidc_artifact a ON a.school_id = i.school_id AND a.grant_id = i.grant_id AND ${isNoUsedCode('a')}
     ORDER BY a.school_id, a.model, a.id
       FOR UPDATE OF a
  ), removed AS (
    DELETE FROM oidc_artifact a USING artifact r WHERE a.school_id = r.school_id AND a.model = r.model AND a.id = r.id RETURNING 1
  ), live AS MATERIALIZED (
    SELECT g.school_id, g.id
      FROM (SELECT DISTINCT school_id, grant_id FROM item) i
      JOIN oidc_grant g ON g.school_id = i.school_id AND g.id = i.grant_id
     WHERE g.revoked_at IS NULL AND (SELECT count(*) FROM removed) >= 0
     ORDER BY g.school_id, g.id
       FOR NO KEY UPDATE OF g
  ), ended AS (
    UPDATE oidc_grant g SET revoked_at = now() FROM live WHERE g.school_id = live.school_id AND g.id = live.id RETURNING 1
  ), logged AS (
    INSERT INTO audit_log (school_id, id, event, account_id, client_id, grant_id, request_id, address, details)
    SELECT item.school_id, l.id, l.event, l.account_id, l.client_id, item.grant_id, l.request_id, l.address, l.details
      FROM jsonb_to_recordset((SELECT $2::jsonb))
        AS l (n int, id uuid, event text, account_id text, client_id text, request_id text, address text, details jsonb)
      JOIN item ON item.n = l.n
    RETURNING 1
  )
  SELECT n, grant_id FROM item WHERE (SELECT count(*) FROM ended) + (SELECT count(*) FROM logged) >= 0`
