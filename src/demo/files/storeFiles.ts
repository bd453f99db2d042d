import { Readable } from 'node:stream'
import { storeUploadedFile } from '../../domain/files/storeUploadedFile.ts'
import { filePurposes } from '../../policy/filePurposes.ts'
import type { FileStorage } from '../../store/fileStorage.ts'
import { demoId } from '../ids.ts'
import { readDemoBytes } from '../readDemoFile.ts'
import { demoFiles } from './demoFiles.ts'

/**
 * Stores the bytes of the demo's files, before any row refers to them. Their keys are the same on every run, so a run replaces what an
 * interrupted one has left.
 * @returns their rows
 */
export async function storeFiles(storage: FileStorage, schoolId: string, now: Date) {
  return await Promise.all(
    demoFiles().map(async ({ filename, content_type, purpose, alt }, index) => {
      const id = demoId(schoolId, 'file', index)
      const storage_key = `${schoolId}/${id}`
      const contents = readDemoBytes(filename)
      const { visibility } = filePurposes[purpose]
      const isPublic = visibility === 'public'
      const announced = { key: storage_key, contentType: content_type, byteSize: contents.length, checksum: null, isPublic }
      const { byteSize, checksum, width, height, metadataRemoved } = await storeUploadedFile(storage, announced, Readable.from([contents]))
      return {
        ...{ school_id: schoolId, id, storage_key, filename, content_type, purpose, alt, width, height },
        bytes: byteSize,
        checksum_sha256: checksum,
        visibility,
        metadata_removed: metadataRemoved && JSON.stringify(metadataRemoved),
        status: 'ready',
        uploaded_by: demoId(schoolId, 'account', 0),
        created_at: now,
        updated_at: now,
        unused_since: now,
      }
    }),
  )
}
