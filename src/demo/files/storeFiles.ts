import { Readable } from 'node:stream'
import { storeUploadedFile } from '../../domain/files/storeUploadedFile.ts'
import { filePurposes } from '../../policy/filePurposes.ts'
import type { FileStorage } from '../../store/fileStorage.ts'
import { demoId } from '../ids.ts'
import { demoFiles } from './demoFiles.ts'

/**
 * Puts the bytes of the demo's files into the storage, before any row names them. Their keys are the same on every run: what a run
 * leaves behind that is broken off, the next one replaces.
 * @returns their rows
 */
export async function storeFiles(storage: FileStorage, schoolId: string, now: Date) {
  return await Promise.all(
    demoFiles().map(async ({ filename, content_type, purpose, alt, bytes }, index) => {
      const id = demoId(schoolId, 'file', index)
      const storage_key = `${schoolId}/${id}`
      const contents = bytes()
      const announced = { key: storage_key, contentType: content_type, byteSize: contents.length, checksum: null }
      const { byteSize, checksum, width, height } = await storeUploadedFile(storage, announced, Readable.from([contents]))
      return {
        ...{ school_id: schoolId, id, storage_key, filename, content_type, purpose, alt, width, height },
        bytes: byteSize,
        checksum_sha256: checksum,
        visibility: filePurposes[purpose].visibility,
        status: 'ready',
        uploaded_by: demoId(schoolId, 'account', 0),
        created_at: now,
        updated_at: now,
        unused_since: now,
      }
    }),
  )
}
