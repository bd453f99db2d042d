import type { Sql } from '../../database/connection/sql.ts'
import { auditRows, jsonText, type Redemption, recordOf, requireOneSchool } from './redeemArtifacts.ts'

/**
 * Redeems several codes and refresh tokens in one statement, by the rules of `redeemArtifacts`. Returns true for those that won, and undefined for
 * those that it left undecided: those that were used or locked, or named twice. It waits for no other request, so it cannot deadlock.
 */
export async function redeemTogether(sql: Sql, redemptions: readonly Redemption[]): Promise<(true | undefined)[]> {
  for (const redemption of redemptions) requireOneSchool(redemption)
  const named = new Set<string>()
  const numbered = [...redemptions.entries()].filter(([, { schoolId, consume }]) => {
    if (!consume) return true
    const name = `${schoolId} ${consume.model} ${consume.id}`
    const isFirst = !named.has(name)
    named.add(name)
    return isFirst
  })
  const items = numbered.map(([n, { schoolId, consume, touchGrant }]) => ({
    n,
    school_id: schoolId,
    model: consume?.model,
    id: consume?.id,
    successor: consume?.successor,
    successor_seconds: consume?.successorSeconds,
    known_seconds: consume?.knownSeconds,
    owner_grant_id: consume?.owner?.grantId,
    owner_client_id: consume?.owner?.clientId,
    grant_id: touchGrant?.grantId,
  }))
  const saved = numbered.flatMap(([n, { save }]) => save.map((artifact) => ({ n, ...recordOf(artifact) })))
  const audit = numbered.flatMap(([n, redemption]) => auditRows(redemption.audit).map((row) => ({ n, ...row })))
  const { name, text } = audit.length === 0 ? unlogged : withAudit
  const values = [items, saved, ...(audit.length === 0 ? [] : [audit])].map(jsonText)
  const won = new Set((await sql.query<{ n: number }>(text, values, name)).map(({ n }) => n))
  return redemptions.map((_, n) => won.has(n) || undefined)
}

/**
 * The parameters are in subqueries, so that PostgreSQL cannot see their size and keeps one plan: it would plan the statement again for each
 * batch otherwise. Rows are looked up one by one by their keys, whatever the size of the tables, and skipped if another request has locked them.
 */
const parts = `
  WITH item AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset((SELECT $1::jsonb))
      AS i (n int, school_id uuid, model text, id text, successor text, successor_seconds float8, known_seconds float8,
            owner_grant_id text, owner_client_id text, grant_id text)
     ORDER BY school_id, model, id
  ), consumed AS (
    UPDATE oidc_artifact a
       SET consumed_at = now(), successor = locked.successor,
           payload = CASE WHEN locked.successor_seconds IS NULL THEN '' ELSE a.payload END,
           successor_until = now() + make_interval(secs => locked.successor_seconds),
           expires_at = greatest(a.expires_at, now() + make_interval(secs => locked.known_seconds))
      FROM (SELECT item.n, item.successor, item.successor_seconds, item.known_seconds, found.*
              FROM item
             CROSS JOIN LATERAL (
                SELECT school_id, model, id FROM oidc_artifact
                 WHERE school_id = item.school_id AND model = item.model AND id = item.id AND consumed_at IS NULL AND expires_at > now()
                   FOR NO KEY UPDATE SKIP LOCKED) AS found) AS locked
     WHERE a.school_id = locked.school_id AND a.model = locked.model AND a.id = locked.id AND a.consumed_at IS NULL
    RETURNING locked.n
  ), used AS (
    INSERT INTO oidc_artifact (school_id, model, id, grant_id, client_id, payload, consumed_at, successor, successor_until, expires_at)
    SELECT school_id, model, id, owner_grant_id, owner_client_id, '', now(), successor, now() + make_interval(secs => successor_seconds),
           now() + make_interval(secs => known_seconds)
      FROM item WHERE owner_grant_id IS NOT NULL
    ON CONFLICT (school_id, model, id) DO NOTHING
    RETURNING school_id, model, id
  ), won AS (
    SELECT n FROM consumed
     UNION ALL
    SELECT i.n FROM used u JOIN item i ON i.school_id = u.school_id AND i.model = u.model AND i.id = u.id
     UNION ALL
    SELECT n FROM item WHERE model IS NULL
  ), saved AS (
    INSERT INTO oidc_artifact (school_id, model, id, grant_id, client_id, account_id, uid, payload, expires_at)
    SELECT i.school_id, s.model, s.id, s.grant_id, s.client_id, s.account_id, s.uid, s.payload, now() + make_interval(secs => s.seconds)
      FROM jsonb_to_recordset((SELECT $2::jsonb))
        AS s (n int, model text, id text, grant_id text, client_id text, account_id uuid, uid text, payload text, seconds float8)
      JOIN item i ON i.n = s.n
     WHERE s.n IN (SELECT n FROM won)
  ), touched AS (
    UPDATE oidc_grant g
       SET last_used_at = now()
      FROM (SELECT DISTINCT school_id, grant_id FROM item WHERE grant_id IS NOT NULL AND n IN (SELECT n FROM won)) AS used_grant
     CROSS JOIN LATERAL (
        SELECT school_id, id FROM oidc_grant
         WHERE school_id = used_grant.school_id AND id = used_grant.grant_id AND revoked_at IS NULL AND expires_at > now()
           AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')
           FOR NO KEY UPDATE SKIP LOCKED) AS free
     WHERE g.school_id = free.school_id AND g.id = free.id
  )`

const result = 'SELECT n FROM won'
const unlogged = { name: 'artifacts_redeem', text: `${parts} ${result}` }
const withAudit = {
  name: 'artifacts_redeem_logged',
  text: `${parts}, logged AS (
    INSERT INTO audit_log (school_id, id, event, account_id, client_id, grant_id, request_id, address, details)
    SELECT i.school_id, l.id, l.event, l.account_id, l.client_id, l.grant_id, l.request_id, l.address, l.details
      FROM jsonb_to_recordset((SELECT $3::jsonb))
        AS l (n int, id uuid, event text, account_id text, client_id text, grant_id text, request_id text, address text, details jsonb)
      JOIN item i ON i.n = l.n
     WHERE l.n IN (SELECT n FROM won)
  )
  ${result}`,
}
