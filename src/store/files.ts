import { recordChanges } from './changeLog.ts'
import { planRemoval } from './fileRemovals.ts'
import { type Handle, rawSql } from './rawSql.ts'
import { changeRoom } from './storageUsage.ts'

/** What has to be known of a file to serve its bytes. */
export interface ServedFile {
  id: string
  filename: string
  content_type: string
  bytes: string | number
  checksum_sha256: string
  visibility: string
  storage_key: string
}

/** What the bytes of a file turned out to be. */
export interface FileFacts {
  byteSize: number
  checksum: string
  width: number | null
  height: number | null
}

/** A complete file of the school. */
export async function findReadyFile(sql: Handle, schoolId: string, id: string): Promise<ServedFile | undefined> {
  const [file] = await rawSql(sql).query<ServedFile>(
    `SELECT id, filename, content_type, bytes, checksum_sha256, visibility, storage_key
       FROM file WHERE school_id = $1 AND id = $2 AND status = 'ready'`,
    [schoolId, id],
    'file_served',
  )
  return file
}

/** A pending file has its bytes from now on. */
export async function completeFile(
  sql: Handle,
  schoolId: string,
  id: string,
  { byteSize, checksum, width, height }: FileFacts,
): Promise<void> {
  const [before] = await rawSql(sql).query<{ bytes: string | number }>(
    `SELECT bytes FROM file WHERE school_id = $1 AND id = $2 AND status = 'pending' FOR UPDATE`,
    [schoolId, id],
  )
  if (!before) throw new Error('the file to be completed is not pending')
  const completed = await rawSql(sql).query<{ id: string; version: number }>(
    `UPDATE file SET status = 'ready', bytes = $3, checksum_sha256 = $4, width = $5, height = $6,
                     version = version + 1, updated_at = now(), unused_since = now()
      WHERE school_id = $1 AND id = $2 RETURNING id, version`,
    [schoolId, id, byteSize, checksum, width, height],
  )
  await recordChanges(sql, { school_id: schoolId, type: 'file', action: 'completed' }, completed)
  await changeRoom(sql, schoolId, byteSize - Number(before.bytes))
}

/** What follows when a file's row goes: its bytes are to go as well, and its room is free. */
export async function releaseBytes(sql: Handle, file: { school_id: string; storage_key: string; bytes: string | number }): Promise<void> {
  await planRemoval(sql, file, 0)
  await changeRoom(sql, file.school_id, -Number(file.bytes))
}

type SweptFile = Parameters<typeof releaseBytes>[1] & { id: string }

/**
 * Removes files that nothing refers to for longer than `unusedSeconds`, and those whose bytes never came. The rows are locked first
 * and asked a second time then: what somebody has come to use meanwhile stays. Runs inside a transaction.
 */
export async function sweepFiles(sql: Handle, { unusedSeconds, limit }: { unusedSeconds: number; limit: number }): Promise<number> {
  const candidates = await rawSql(sql).query<{ school_id: string; id: string }>(
    `SELECT f.school_id, f.id FROM file f
      WHERE (f.unused_since < now() - make_interval(secs => $1)
             OR (f.status = 'pending' AND EXISTS (
                   SELECT 1 FROM upload u WHERE u.school_id = f.school_id AND u.file_id = f.id AND u.expires_at < now() - interval '1 hour')))
        AND NOT EXISTS (SELECT 1 FROM file_reference r WHERE r.school_id = f.school_id AND r.file_id = f.id)
      ORDER BY f.unused_since LIMIT $2
      FOR UPDATE OF f SKIP LOCKED`,
    [unusedSeconds, limit],
  )
  let removed = 0
  for (const { school_id, id } of candidates) {
    const [file] = await rawSql(sql).query<SweptFile>(
      `DELETE FROM file f WHERE f.school_id = $1 AND f.id = $2
          AND NOT EXISTS (SELECT 1 FROM file_reference r WHERE r.school_id = f.school_id AND r.file_id = f.id)
       RETURNING f.id, f.school_id, f.storage_key, f.bytes`,
      [school_id, id],
    )
    if (!file) continue
    await releaseBytes(sql, file)
    removed += 1
  }
  return removed
}

/** What a person has brought of late. */
export async function recentUploads(sql: Handle, schoolId: string, accountId: string): Promise<{ inMinute: number; bytesInDay: number }> {
  const [row] = await rawSql(sql).query<{ in_minute: string | number; bytes_in_day: string | number }>(
    `SELECT count(*) FILTER (WHERE created_at > now() - interval '1 minute') AS in_minute, coalesce(sum(bytes), 0)::bigint AS bytes_in_day
       FROM file WHERE school_id = $1 AND uploaded_by = $2 AND created_at > now() - interval '1 day'`,
    [schoolId, accountId],
  )
  return { inMinute: Number(row?.in_minute ?? 0), bytesInDay: Number(row?.bytes_in_day ?? 0) }
}
