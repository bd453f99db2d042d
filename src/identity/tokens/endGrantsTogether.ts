import type { Sql } from '../../database/connection/sql.ts'
import type { AuditEntry } from '../../database/tables/audit.ts'
import { auditRows, isNoUsedCode, jsonText } from './redeemArtifacts.ts'

/** A grant that ends, with its audit entries, which belong to the same school. */
export interface GrantEnd {
  schoolId: string
  grantId: string
  audit: readonly AuditEntry[]
}

/**
 * Ends several grants in one statement, all or none. Rows are locked in one order, artefacts before grants as everywhere, so that two such
 * statements wait for each other but cannot deadlock.
 */
export async function endGrantsTogether(sql: Sql, ends: readonly GrantEnd[]): Promise<true[]> {
  const items = ends.map(({ schoolId, grantId }) => ({ school_id: schoolId, grant_id: grantId }))
  const audit = ends.flatMap((end) => auditRows(end.audit))
  await sql.query(text, [items, audit].map(jsonText), 'artifacts_end_grants')
  return ends.map(() => true)
}

// The parameters are in subqueries, so that PostgreSQL keeps one plan whatever the size of the batch. Counts make one part come before another.
const text = `
  WITH item AS MATERIALIZED (
    SELECT DISTINCT school_id, grant_id FROM jsonb_to_recordset((SELECT $1::jsonb)) AS i (school_id uuid, grant_id text)
  ), artifact AS MATERIALIZED (
    SELECT a.school_id, a.model, a.id
      FROM item i JOIN oidc_artifact a ON a.school_id = i.school_id AND a.grant_id = i.grant_id AND ${isNoUsedCode('a')}
     ORDER BY a.school_id, a.model, a.id
       FOR UPDATE OF a
  ), removed AS (
    DELETE FROM oidc_artifact a USING artifact r WHERE a.school_id = r.school_id AND a.model = r.model AND a.id = r.id RETURNING 1
  ), live AS MATERIALIZED (
    SELECT g.school_id, g.id
      FROM item i JOIN oidc_grant g ON g.school_id = i.school_id AND g.id = i.grant_id
     WHERE g.revoked_at IS NULL AND (SELECT count(*) FROM removed) >= 0
     ORDER BY g.school_id, g.id
       FOR NO KEY UPDATE OF g
  ), logged AS (
    INSERT INTO audit_log (school_id, id, event, account_id, client_id, grant_id, request_id, address, details)
    SELECT school_id, id, event, account_id, client_id, grant_id, request_id, address, details
      FROM jsonb_to_recordset((SELECT $2::jsonb))
        AS l (school_id uuid, id uuid, event text, account_id text, client_id text, grant_id text, request_id text, address text, details jsonb)
  )
  UPDATE oidc_grant g SET revoked_at = now() FROM live WHERE g.school_id = live.school_id AND g.id = live.id`
