import type { Reader, Stored, Writer } from '../connection/database.ts'
import { planRemoval } from '../files/fileRemovals.ts'
import { changeRoom } from '../files/storageUsage.ts'
import { inSchool } from '../school/inSchool.ts'
import { type Builder, daySeconds, now, secondsAgo } from '../statements/expressions.ts'
import { recordChanges } from './changeLog.ts'

export interface ServedFile extends Stored<'file', 'id' | 'filename' | 'content_type' | 'bytes' | 'visibility' | 'storage_key'> {
  checksum_sha256: string
}

export interface FileFacts {
  byteSize: number
  checksum: string
  width: number | null
  height: number | null
  /** The kinds of metadata that were removed from a public picture; null if it was not searched. */
  metadataRemoved: string[] | null
}

export async function findReadyFile(db: Reader, schoolId: string, id: string): Promise<ServedFile | undefined> {
  return await db
    .selectFrom('file')
    .select(['id', 'filename', 'content_type', 'bytes', 'checksum_sha256', 'visibility', 'storage_key'])
    .where('school_id', '=', schoolId)
    .where('id', '=', id)
    .where('status', '=', 'ready')
    .$narrowType<{ checksum_sha256: string }>()
    .executeTakeFirst()
}

export async function completeFile(
  writer: Writer,
  schoolId: string,
  id: string,
  { byteSize, checksum, width, height, metadataRemoved }: FileFacts,
): Promise<void> {
  const before = await writer
    .selectFrom('file')
    .select('bytes')
    .where('school_id', '=', schoolId)
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .forUpdate()
    .executeTakeFirst()
  if (!before) throw new Error('the file to be completed is not pending')
  const completed = await writer
    .updateTable('file')
    .set((file) => ({
      status: 'ready',
      bytes: byteSize,
      checksum_sha256: checksum,
      width,
      height,
      metadata_removed: metadataRemoved && JSON.stringify(metadataRemoved),
      version: file('version', '+', 1),
      updated_at: now,
      unused_since: now,
    }))
    .where('school_id', '=', schoolId)
    .where('id', '=', id)
    .returning(['id', 'version'])
    .execute()
  await recordChanges(inSchool(writer, schoolId), { type: 'file', action: 'completed' }, completed)
  await changeRoom(writer, schoolId, byteSize - Number(before.bytes))
}

/** A public picture whose metadata nobody has looked for. */
export type UncleanedFile = Stored<'file', 'school_id' | 'id' | 'content_type' | 'storage_key'>

/** Returns a public picture of any school whose metadata nobody has looked for. */
export async function findUncleaned(
  db: Reader,
  { types, maxBytes }: { types: readonly string[]; maxBytes: number },
): Promise<UncleanedFile | undefined> {
  return await db
    .selectFrom('file')
    .select(['school_id', 'id', 'content_type', 'storage_key'])
    .where('metadata_removed', 'is', null)
    .where('visibility', '=', 'public')
    .where('status', '=', 'ready')
    .where('content_type', 'in', types)
    .where('bytes', '<=', String(maxBytes))
    .limit(1)
    .executeTakeFirst()
}

export async function markCleaned(db: Reader, { school_id, id }: UncleanedFile): Promise<true> {
  await db.updateTable('file').set({ metadata_removed: '[]' }).where('school_id', '=', school_id).where('id', '=', id).execute()
  return true
}

/** Replaces the bytes of a file. Returns false if the file is gone or was cleaned meanwhile. */
export async function replaceBytes(
  writer: Writer,
  { school_id, id, storage_key }: UncleanedFile,
  { key, byteSize, checksum, width, height, metadataRemoved }: FileFacts & { key: string },
): Promise<boolean> {
  const before = await writer
    .selectFrom('file')
    .select('bytes')
    .where('school_id', '=', school_id)
    .where('id', '=', id)
    .where('storage_key', '=', storage_key)
    .where('metadata_removed', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  if (!before) return false
  const replaced = await writer
    .updateTable('file')
    .set((file) => ({
      ...{ storage_key: key, bytes: byteSize, checksum_sha256: checksum, width, height },
      metadata_removed: JSON.stringify(metadataRemoved ?? []),
      version: file('version', '+', 1),
      updated_at: now,
    }))
    .where('school_id', '=', school_id)
    .where('id', '=', id)
    .returning(['id', 'version'])
    .execute()
  await recordChanges(inSchool(writer, school_id), { type: 'file', action: 'updated' }, replaced)
  await changeRoom(writer, school_id, byteSize - Number(before.bytes))
  return true
}

/** Plans the removal of a deleted file's bytes and frees its storage quota. */
export async function releaseBytes(db: Reader, file: { school_id: string; storage_key: string; bytes: string | number }): Promise<void> {
  await planRemoval(db, file, 0)
  await changeRoom(db, file.school_id, -Number(file.bytes))
}

/** Files of one state that nothing needs: no row, no text, and no request that can be taken back. Locked, and not locked by others. */
const findUnneeded = (db: Reader, { status, days, limit }: { status: 'ready' | 'deleted'; days: number; limit: number }) =>
  db
    .selectFrom('file')
    .select(['school_id', 'id'])
    .where('status', '=', status)
    .where('unused_since', '<', secondsAgo(daySeconds(days)))
    .where(isUnneeded)
    .orderBy('unused_since')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute()

/** Moves files that nothing has needed for `days` to the trash, where they cannot be read. Runs inside a transaction. */
export async function trashFiles(db: Reader, limits: { days: number; limit: number }): Promise<number> {
  let trashed = 0
  for (const { school_id, id } of await findUnneeded(db, { status: 'ready', ...limits })) {
    // Checked again under the lock: a file that has been referenced meanwhile is kept.
    const moved = await db
      .updateTable('file')
      .set((file) => ({ status: 'deleted', unused_since: now, updated_at: now, version: file('version', '+', 1) }))
      .where('school_id', '=', school_id)
      .where('id', '=', id)
      .where(isUnneeded)
      .returning(['id', 'version'])
      .execute()
    await recordChanges(inSchool(db, school_id), { type: 'file', action: 'updated' }, moved)
    trashed += moved.length
  }
  return trashed
}

/** Removes files that have been in the trash for `days`, and those whose upload expired before the bytes came. Runs inside a transaction. */
export async function removeTrashedFiles(db: Reader, limits: { days: number; limit: number }): Promise<number> {
  const expired = await db
    .selectFrom('file')
    .select(['school_id', 'id'])
    .where((file) => file.and([file('status', '=', 'pending'), file.exists(expiredUpload(file))]))
    .limit(limits.limit)
    .forUpdate()
    .skipLocked()
    .execute()
  for (const { school_id, id } of expired)
    await db.deleteFrom('file_reference').where('school_id', '=', school_id).where('file_id', '=', id).execute()
  let removed = 0
  for (const { school_id, id } of [...expired, ...(await findUnneeded(db, { status: 'deleted', ...limits }))]) {
    const file = await db
      .deleteFrom('file')
      .where('school_id', '=', school_id)
      .where('id', '=', id)
      .where(isUnneeded)
      .returning(['school_id', 'storage_key', 'bytes'])
      .executeTakeFirst()
    if (!file) continue
    await releaseBytes(db, file)
    removed += 1
  }
  return removed
}

const isUnneeded = (file: Builder<'file'>) => file.not(file.or([file.exists(anyReference(file)), file.exists(anyUndo(file))]))

const anyUndo = ({ selectFrom }: Builder<'file'>) =>
  selectFrom('undo_file')
    .select('undo_file.file_id')
    .whereRef('undo_file.school_id', '=', 'file.school_id')
    .whereRef('undo_file.file_id', '=', 'file.id')

const anyReference = ({ selectFrom }: Builder<'file'>) =>
  selectFrom('file_reference')
    .select('file_id')
    .whereRef('file_reference.school_id', '=', 'file.school_id')
    .whereRef('file_reference.file_id', '=', 'file.id')

const expiredUpload = ({ selectFrom }: Builder<'file'>) =>
  selectFrom('upload')
    .select('upload.id')
    .whereRef('upload.school_id', '=', 'file.school_id')
    .whereRef('upload.file_id', '=', 'file.id')
    .where('upload.expires_at', '<', secondsAgo(3600))

/** Returns how many files a person uploaded within a minute, and how many bytes within a day. */
export async function recentUploads(db: Reader, schoolId: string, accountId: string): Promise<{ inMinute: number; bytesInDay: number }> {
  const row = await db
    .selectFrom('file')
    .select(({ fn }) => [fn.countAll().filterWhere('created_at', '>', secondsAgo(60)).as('in_minute'), fn.sum('bytes').as('bytes_in_day')])
    .where('school_id', '=', schoolId)
    .where('uploaded_by', '=', accountId)
    .where('created_at', '>', secondsAgo(daySeconds(1)))
    .executeTakeFirst()
  return { inMinute: Number(row?.in_minute ?? 0), bytesInDay: Number(row?.bytes_in_day ?? 0) }
}
