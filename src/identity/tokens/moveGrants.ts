import type { Sql } from '../../database/connection/sql.ts'

export interface GrantMove {
  schoolId: string
  from: string
  to: string
}

/** The expression of a resource after the move: the issuer and its MCP endpoint change, other resources stay. */
const movedName = (name: string): string => `CASE ${name} WHEN $2::text THEN $3::text WHEN $2 || '/mcp' THEN $3 || '/mcp' ELSE ${name} END`

/** A refresh token has one resource or a list. */
const movedResource = `CASE jsonb_typeof(a.payload::jsonb->'resource')
           WHEN 'array' THEN (SELECT jsonb_agg(${movedName('name')}) FROM jsonb_array_elements_text(a.payload::jsonb->'resource') AS name)
           ELSE to_jsonb(${movedName("(a.payload::jsonb->>'resource')")}) END`

/** The live grants of a former issuer. Grants of earlier releases name it only as a resource. */
const ofIssuer = `school_id = $1 AND revoked_at IS NULL AND expires_at > now()
    AND coalesce(payload->>'iss', CASE WHEN payload->'resources' ? $2::text THEN $2 END) = $2`

export async function countGrantsOf(sql: Sql, { schoolId, from }: Omit<GrantMove, 'to'>): Promise<number> {
  const [row] = await sql.query<{ count: string | number }>(`SELECT count(*) AS count FROM oidc_grant WHERE ${ofIssuer}`, [schoolId, from])
  return Number(row?.count)
}

/**
 * Moves at most `limit` live grants to another issuer, with their unused refresh tokens, and returns their number. Their resources keep
 * their scopes. Access tokens stay bound to the former issuer: clients refresh.
 */
export async function moveGrants(sql: Sql, { schoolId, from, to }: GrantMove, limit: number): Promise<number> {
  const moved = await sql.query(
    `WITH moving AS (
       SELECT id FROM oidc_grant WHERE ${ofIssuer} ORDER BY id LIMIT $4 FOR UPDATE
     ), tokens AS (
       UPDATE oidc_artifact a SET payload = jsonb_set(a.payload::jsonb, '{resource}', ${movedResource})::text
         FROM moving
        WHERE a.school_id = $1 AND a.model = 'RefreshToken' AND a.grant_id = moving.id AND a.payload <> '' AND a.payload::jsonb ? 'resource'
     )
     UPDATE oidc_grant g
        SET payload = g.payload || jsonb_build_object(
              'iss', $3::text,
              'resources', (SELECT coalesce(jsonb_object_agg(${movedName('key')}, value), '{}') FROM jsonb_each(coalesce(g.payload->'resources', '{}'))))
       FROM moving
      WHERE g.school_id = $1 AND g.id = moving.id
     RETURNING g.id`,
    [schoolId, from, to, limit],
  )
  return moved.length
}
