import { Problem } from '../../base/problem.ts'
import type { SchoolDatabase } from '../../database/connection/database.ts'
import type { FileStorage } from '../../database/files/fileStorage.ts'
import { completeFile } from '../../database/tables/files.ts'
import { claimUpload, completeUpload, releaseUpload, type UploadKey } from '../../database/tables/uploads.ts'
import { storeUploadedFile } from './storeUploadedFile.ts'

export interface UploadBody {
  bytes: AsyncIterable<Uint8Array>
  length: number | undefined
}

const usedUp = (): Problem =>
  new Problem('signature_invalid', {
    description: 'This upload URL is already used, or another request is using it. Announce the file again.',
  })

/**
 * Stores the bytes of an announced file. Of concurrent requests only one succeeds. An incomplete or wrong upload stores nothing, and its
 * URL can be used again.
 * @returns the file, and the account that announced it
 * @throws Problem signature_invalid if the URL was used; checksum_mismatch, type_not_allowed, payload_too_large, invalid_request
 */
export async function storeUpload(
  { database, storage }: { database: SchoolDatabase; storage: FileStorage },
  key: UploadKey,
  { bytes, length }: UploadBody,
): Promise<{ fileId: string; accountId: string }> {
  const { kysely } = database
  if (length === undefined)
    throw new Problem('invalid_request', { description: 'The Content-Length header is required. Send the size of the file in bytes.' })
  const row = await claimUpload(kysely, key)
  if (!row) throw usedUp()
  const announced = {
    ...{ key: row.storage_key, contentType: row.content_type, byteSize: Number(row.bytes), checksum: row.checksum_sha256 },
    isPublic: row.visibility === 'public',
  }
  try {
    requireLength(length, announced.byteSize)
    const facts = await storeUploadedFile(storage, announced, bytes)
    await database.transaction(async (writer) => {
      await completeFile(writer, database.schoolId, row.file_id, facts)
      if (!(await completeUpload(writer, key))) throw usedUp()
    })
  } catch (error) {
    await storage.remove(announced.key).catch(() => {})
    await releaseUpload(kysely, key)
    throw error
  }
  return { fileId: row.file_id, accountId: row.uploaded_by }
}

function requireLength(length: number, byteSize: number): void {
  if (length === byteSize) return
  const description = `Content-Length must be ${byteSize}, the announced size; it is ${length}.`
  throw new Problem(length > byteSize ? 'payload_too_large' : 'checksum_mismatch', { description })
}
