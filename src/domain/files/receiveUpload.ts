import { Problem } from '../../lib/problem.ts'
import type { Database } from '../../store/database.ts'
import type { FileStorage } from '../../store/fileStorage.ts'
import { completeFile } from '../../store/files.ts'
import { claimUpload, completeUpload, releaseUpload, type UploadKey } from '../../store/uploads.ts'
import { receiveFile } from './receiveFile.ts'

/** Bytes on their way, and how many the sender says there are. */
export interface SentBytes {
  bytes: AsyncIterable<Uint8Array>
  length: number | undefined
}

const usedUp = (): Problem =>
  new Problem('signature_invalid', { description: 'This address has been used, or another request is using it.' })

/**
 * Takes the bytes of an announced file, once: of many senders at one time one is heard. What breaks off or is not what was announced
 * leaves nothing, and the address can be used again.
 * @returns the file, and who announced it
 * @throws Problem signature_invalid where the address is used up; checksum_mismatch, type_not_allowed, payload_too_large, invalid_request
 */
export async function receiveUpload(
  { database, storage }: { database: Database; storage: FileStorage },
  key: UploadKey,
  { bytes, length }: SentBytes,
): Promise<{ fileId: string; accountId: string }> {
  const { kysely } = database
  if (length === undefined) throw new Problem('invalid_request', { description: 'Say with Content-Length how many bytes come.' })
  const row = await claimUpload(kysely, key)
  if (!row) throw usedUp()
  const announced = { key: row.storage_key, contentType: row.content_type, byteSize: Number(row.bytes), checksum: row.checksum_sha256 }
  try {
    requireLength(length, announced.byteSize)
    const facts = await receiveFile(storage, announced, bytes)
    await database.transaction(async (within) => {
      await completeFile(within, key.schoolId, row.file_id, facts)
      if (!(await completeUpload(within, key))) throw usedUp()
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
  const description = `The file was announced with ${byteSize} bytes, Content-Length says ${length}.`
  throw new Problem(length > byteSize ? 'payload_too_large' : 'checksum_mismatch', { description })
}
