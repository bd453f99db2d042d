import type { Reader, Stored } from '../connection/database.ts'
import { inSchool } from '../school/inSchool.ts'
import { now } from '../statements/expressions.ts'
import { recordChanges } from './changeLog.ts'

export interface AnnouncedRow extends Stored<'file', 'content_type' | 'bytes' | 'checksum_sha256' | 'storage_key' | 'visibility'> {
  file_id: string
  uploaded_by: string
}

export interface UploadKey {
  schoolId: string
  id: string
}

/**
 * Claims the upload for one sender: a compare-and-set. Returns undefined if it is used up or expired, or if the person who announced it
 * has been disabled.
 */
export async function claimUpload(db: Reader, { schoolId, id }: UploadKey): Promise<AnnouncedRow | undefined> {
  return await db
    .updateTable('upload')
    .from('file')
    .innerJoin('account', (join) =>
      join
        .onRef('account.school_id', '=', 'file.school_id')
        .onRef('account.id', '=', 'file.uploaded_by')
        .on('account.disabled_at', 'is', null),
    )
    .set({ status: 'receiving', updated_at: now })
    .where('upload.school_id', '=', schoolId)
    .where('upload.id', '=', id)
    .where('upload.status', '=', 'pending')
    .where('upload.expires_at', '>', now)
    .whereRef('file.school_id', '=', 'upload.school_id')
    .whereRef('file.id', '=', 'upload.file_id')
    .where('file.status', '=', 'pending')
    .returning([
      'upload.file_id',
      'file.content_type',
      'file.bytes',
      'file.checksum_sha256',
      'file.storage_key',
      'file.uploaded_by',
      'file.visibility',
    ])
    .$narrowType<{ uploaded_by: string }>()
    .executeTakeFirst()
}

/** Allows the upload to be tried again: nothing has been stored. */
export async function releaseUpload(db: Reader, { schoolId, id }: UploadKey): Promise<void> {
  await db
    .updateTable('upload')
    .set({ status: 'pending', updated_at: now })
    .where('school_id', '=', schoolId)
    .where('id', '=', id)
    .where('status', '=', 'receiving')
    .execute()
}

/** Marks the upload as completed. Returns false if it has been swept meanwhile. */
export async function completeUpload(db: Reader, { schoolId, id }: UploadKey): Promise<boolean> {
  const completed = await db
    .updateTable('upload')
    .set((upload) => ({ status: 'completed', version: upload('version', '+', 1), updated_at: now }))
    .where('school_id', '=', schoolId)
    .where('id', '=', id)
    .where('status', '=', 'receiving')
    .returning(['id', 'version'])
    .execute()
  await recordChanges(inSchool(db, schoolId), { type: 'upload', action: 'completed' }, completed)
  return completed.length === 1
}
