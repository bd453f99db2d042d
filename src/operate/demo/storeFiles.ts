import { Readable } from 'node:stream'
import { z } from 'zod'
import type { FileStorage } from '../../database/files/fileStorage.ts'
import { filePurposeNames, filePurposes } from '../../engine/declare/filePurposes.ts'
import { storeUploadedFile } from '../../school/files/storeUploadedFile.ts'
import { demoId } from './ids.ts'
import { readDemoBytes, readDemoFile } from './readDemoFile.ts'

const filesSchema = z.array(
  z.object({ filename: z.string(), content_type: z.string(), purpose: z.enum(filePurposeNames), alt: z.string().optional() }),
)

/** Returns the files of the folder `demo/files`. */
export const demoFiles = () => readDemoFile('rows/file', filesSchema)

/**
 * Stores the bytes of the demo's files, before any row refers to them. Their keys are the same on every run, so a run replaces what an
 * interrupted one has left.
 * @returns their rows
 */
export async function storeFiles(storage: FileStorage, schoolId: string, now: Date) {
  return await Promise.all(
    demoFiles().map(async ({ filename, content_type, purpose, alt = null }, place) => {
      const storage_key = `${schoolId}/${demoId(schoolId, 'file', place)}`
      const contents = readDemoBytes(filename)
      const { visibility } = filePurposes[purpose]
      const isPublic = visibility === 'public'
      const announced = { key: storage_key, contentType: content_type, byteSize: contents.length, checksum: null, isPublic }
      const { byteSize, checksum, width, height, metadataRemoved } = await storeUploadedFile(storage, announced, Readable.from([contents]))
      return {
        ...{ storage_key, filename, content_type, purpose, alt, width, height },
        bytes: byteSize,
        checksum_sha256: checksum,
        visibility,
        metadata_removed: metadataRemoved,
        status: 'ready',
        uploaded_by: '@account/0',
        created_at: now,
        updated_at: now,
        unused_since: now,
      }
    }),
  )
}
