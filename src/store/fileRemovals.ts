import { type Handle, rawSql } from './rawSql.ts'

/** Bytes that no row names, or none yet. */
export interface Removal {
  school_id: string
  storage_key: string
}

/** Notes that bytes are to go once this time has passed, whatever becomes of this process until then. */
export async function planRemoval(sql: Handle, { school_id, storage_key }: Removal, inSeconds: number): Promise<void> {
  await rawSql(sql).query(
    `INSERT INTO file_removal (school_id, storage_key, due_at) VALUES ($1, $2, now() + make_interval(secs => $3))
     ON CONFLICT (school_id, storage_key) DO UPDATE SET due_at = excluded.due_at`,
    [school_id, storage_key, inSeconds],
  )
}

/**
 * Removes the bytes of one plan that is due. Its row stays locked meanwhile: no file can come to stand over bytes that are going.
 * Answers false where none is due. Runs inside a transaction.
 */
export async function removeOneDue(sql: Handle, remove: (key: string) => Promise<void>): Promise<boolean> {
  const [due] = await rawSql(sql).query<Removal>(
    'SELECT school_id, storage_key FROM file_removal WHERE due_at <= now() ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED',
  )
  if (!due) return false
  await remove(due.storage_key)
  return await dropRemoval(sql, due)
}

/** The bytes are gone, or have a row now. Answers whether they were still to go. */
export async function dropRemoval(sql: Handle, { school_id, storage_key }: Removal): Promise<boolean> {
  const dropped = await rawSql(sql).query('DELETE FROM file_removal WHERE school_id = $1 AND storage_key = $2 RETURNING 1 AS dropped', [
    school_id,
    storage_key,
  ])
  return dropped.length === 1
}
