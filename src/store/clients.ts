import { burying } from './clientTombstones.ts'
import { type Handle, rawSql } from './rawSql.ts'
import { storableJson } from './storableText.ts'

/** How a client came to be: RFC 7591 registration, the school's file, or an operator's command. */
export type RegisteredVia = 'self' | 'file' | 'operator'

export interface ClientRow {
  id: string
  created_at: Date
  registered_via: RegisteredVia
  metadata: Record<string, unknown>
  last_used_at: Date | null
  disabled_at: Date | null
  disabled_by: DisabledBy | null
}

/** Who disabled a client. What an operator's command disabled stays disabled until the command that enables it. */
export type DisabledBy = 'operator' | 'file'

/** The client, unless it has been disabled. */
export async function findClient(sql: Handle, schoolId: string, id: string): Promise<ClientRow | undefined> {
  const rows = await rawSql(sql).query<ClientRow>(
    `SELECT id, created_at, registered_via, metadata, last_used_at, disabled_at, disabled_by
       FROM oidc_client WHERE school_id = $1 AND id = $2 AND disabled_at IS NULL`,
    [schoolId, id],
    'client_find',
  )
  return rows[0]
}

/** The client, disabled or not. */
export async function findAnyClient(sql: Handle, schoolId: string, id: string): Promise<ClientRow | undefined> {
  const rows = await rawSql(sql).query<ClientRow>(
    `SELECT id, created_at, registered_via, metadata, last_used_at, disabled_at, disabled_by FROM oidc_client WHERE school_id = $1 AND id = $2`,
    [schoolId, id],
  )
  return rows[0]
}

/** Removes a client that has been ended, and what people allowed it: nobody who takes its id later inherits anything. */
export async function deleteClient(sql: Handle, schoolId: string, id: string): Promise<void> {
  await rawSql(sql).query('DELETE FROM oidc_grant WHERE school_id = $1 AND client_id = $2', [schoolId, id])
  await rawSql(sql).query('DELETE FROM oidc_client WHERE school_id = $1 AND id = $2', [schoolId, id])
}

/**
 * Writes or replaces a client. Its `client_secret`, if it has one, must be a hash by now. A client that an operator disabled stays
 * disabled.
 */
export async function saveClient(
  sql: Handle,
  client: { schoolId: string; id: string; registeredVia: RegisteredVia; metadata: object; isDisabledByFile?: boolean },
): Promise<void> {
  await rawSql(sql).query(
    `INSERT INTO oidc_client (school_id, id, registered_via, metadata, disabled_at, disabled_by)
     VALUES ($1, $2, $3, $4::jsonb, CASE WHEN $5::boolean THEN now() END, CASE WHEN $5::boolean THEN 'file' END)
     ON CONFLICT (school_id, id) DO UPDATE
       SET metadata = excluded.metadata, registered_via = excluded.registered_via, updated_at = now(),
           disabled_at = CASE WHEN oidc_client.disabled_by = 'operator' THEN oidc_client.disabled_at ELSE excluded.disabled_at END,
           disabled_by = CASE WHEN oidc_client.disabled_by = 'operator' THEN 'operator' ELSE excluded.disabled_by END`,
    [client.schoolId, client.id, client.registeredVia, storableJson(client.metadata), client.isDisabledByFile ?? false],
    'client_save',
  )
}

/** Notes who disabled a client. What an operator disabled, a file does not take over. */
export async function noteDisabledBy(sql: Handle, client: { schoolId: string; id: string; by: DisabledBy }): Promise<void> {
  await rawSql(sql).query(
    `UPDATE oidc_client SET disabled_by = $3
      WHERE school_id = $1 AND id = $2 AND disabled_at IS NOT NULL AND disabled_by IS DISTINCT FROM 'operator'`,
    [client.schoolId, client.id, client.by],
  )
}

/** Every client of a school, newest first. */
export function listClients(sql: Handle, schoolId: string): Promise<ClientRow[]> {
  return rawSql(sql).query<ClientRow>(
    `SELECT c.id, c.created_at, c.registered_via, c.metadata, c.disabled_at, c.disabled_by,
            (SELECT max(coalesce(g.last_used_at, g.created_at)) FROM oidc_grant g WHERE g.school_id = c.school_id AND g.client_id = c.id)
              AS last_used_at
       FROM oidc_client c WHERE c.school_id = $1 ORDER BY c.created_at DESC, c.id`,
    [schoolId],
  )
}

export interface PruneRules {
  /** Age of a registration that nobody ever authorized. */
  neverUsedDays: number
  /** Time since the last authorization of a client without a living grant. */
  idleDays: number
  /** Of this school alone; of all schools where it is left out. */
  schoolId?: string
  /** Only counts. */
  dryRun?: boolean
}

/** Removes self-registered clients that nobody uses. One with a living grant is never touched. Answers their number. */
export async function pruneClients(sql: Handle, { neverUsedDays, idleDays, schoolId, dryRun = false }: PruneRules): Promise<number> {
  const which = `FROM oidc_client c
      WHERE c.registered_via = 'self' AND ($3::uuid IS NULL OR c.school_id = $3)
        AND (CASE WHEN c.last_used_at IS NULL THEN c.created_at < now() - make_interval(days => $1)
                  ELSE c.last_used_at < now() - make_interval(days => $2) END)
        AND NOT EXISTS (SELECT 1 FROM oidc_grant g WHERE g.school_id = c.school_id AND g.client_id = c.id
                           AND g.revoked_at IS NULL AND g.expires_at > now())`
  const rows = await rawSql(sql).query(
    dryRun ? `SELECT c.id ${which}` : burying(`DELETE ${which} RETURNING c.school_id, c.id, c.metadata`),
    [neverUsedDays, idleDays, schoolId ?? null],
  )
  return rows.length
}
