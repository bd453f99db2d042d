import { createHash } from 'node:crypto'
import { type Handle, rawSql } from './rawSql.ts'
import { storableText } from './storableText.ts'

/** How long a removed client is remembered. */
const keptDays = 90

/** Removes clients and remembers them, in one statement: `removal` deletes and returns school_id, id and metadata. */
export function burying(removal: string): string {
  return `WITH removed AS (${removal})
    INSERT INTO oidc_client_tombstone (school_id, id, redirect_hashes)
    SELECT school_id, id, ARRAY(
             SELECT encode(sha256(convert_to(regexp_replace(uri, '^(http://[^/]*):[0-9]+/', '\\1/'), 'UTF8')), 'hex')
               FROM jsonb_array_elements_text(coalesce(metadata->'redirect_uris', '[]')) AS uri)
      FROM removed
    ON CONFLICT (school_id, id) DO UPDATE SET redirect_hashes = excluded.redirect_hashes, removed_at = now()
    RETURNING id`
}

/**
 * When clean-up removed this client; undefined where it never did, or too long ago. Who does not know an address that the client had
 * registered is told nothing of it.
 */
export async function findTombstone(
  sql: Handle,
  schoolId: string,
  { clientId, redirectUri }: { clientId: string; redirectUri: string },
): Promise<Date | undefined> {
  // The database would fail on a text that it cannot hold. No client has it as its id.
  if (storableText(clientId) !== clientId) return undefined
  const address = redirectUri.replace(/^(http:\/\/[^/]*):[0-9]+\//, '$1/')
  const rows = await rawSql(sql).query<{ removed_at: Date }>(
    `SELECT removed_at FROM oidc_client_tombstone
      WHERE school_id = $1 AND id = $2 AND $3 = ANY (redirect_hashes) AND removed_at > now() - make_interval(days => ${keptDays})`,
    [schoolId, clientId, createHash('sha256').update(address).digest('hex')],
    'tombstone_find',
  )
  return rows[0]?.removed_at
}

/** Forgets what was removed too long ago. Answers the number. */
export async function sweepTombstones(sql: Handle): Promise<number> {
  const rows = await rawSql(sql).query(
    `DELETE FROM oidc_client_tombstone WHERE removed_at <= now() - make_interval(days => ${keptDays}) RETURNING id`,
    [],
  )
  return rows.length
}
