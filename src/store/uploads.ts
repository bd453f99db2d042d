import { recordChanges } from './changeLog.ts'
import { type Handle, rawSql } from './rawSql.ts'

/** The file that an upload is for, as it was announced. */
export interface AnnouncedRow {
  file_id: string
  content_type: string
  bytes: string | number
  checksum_sha256: string | null
  storage_key: string
  uploaded_by: string
}

/** Which upload of which school. */
export interface UploadKey {
  schoolId: string
  id: string
}

/**
 * Compare-and-set: the upload for one sender at a time, as long as it is neither used up nor past its life, and who asked for the
 * address may still sign in.
 */
export async function claimUpload(sql: Handle, { schoolId, id }: UploadKey): Promise<AnnouncedRow | undefined> {
  const [row] = await rawSql(sql).query<AnnouncedRow>(
    `UPDATE upload u SET status = 'receiving', updated_at = now()
       FROM file f JOIN account a ON a.school_id = f.school_id AND a.id = f.uploaded_by AND a.disabled_at IS NULL
      WHERE u.school_id = $1 AND u.id = $2 AND u.status = 'pending' AND u.expires_at > now()
        AND f.school_id = u.school_id AND f.id = u.file_id AND f.status = 'pending'
     RETURNING u.file_id, f.content_type, f.bytes, f.checksum_sha256, f.storage_key, f.uploaded_by`,
    [schoolId, id],
  )
  return row
}

/** Lets the upload be tried again: nothing has been stored. */
export async function releaseUpload(sql: Handle, { schoolId, id }: UploadKey): Promise<void> {
  await rawSql(sql).query(
    `UPDATE upload SET status = 'pending', updated_at = now() WHERE school_id = $1 AND id = $2 AND status = 'receiving'`,
    [schoolId, id],
  )
}

/** The bytes are there. Answers false where the upload has been swept meanwhile. */
export async function completeUpload(sql: Handle, { schoolId, id }: UploadKey): Promise<boolean> {
  const completed = await rawSql(sql).query<{ id: string; version: number }>(
    `UPDATE upload SET status = 'completed', version = version + 1, updated_at = now()
      WHERE school_id = $1 AND id = $2 AND status = 'receiving' RETURNING id, version`,
    [schoolId, id],
  )
  await recordChanges(sql, { school_id: schoolId, type: 'upload', action: 'completed' }, completed)
  return completed.length === 1
}
