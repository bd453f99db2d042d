import { newId } from '../../../base/ids.ts'
import type { Database } from '../../../database/connection/database.ts'
import { dropRemoval, planRemoval } from '../../../database/files/fileRemovals.ts'
import type { FileStorage } from '../../../database/files/fileStorage.ts'
import { findUncleaned, markCleaned, replaceBytes } from '../../../database/tables/files.ts'
import { cleanedTypes, maxPictureBytes } from '../pictures/cleanPicture.ts'
import { storePicture } from '../storeUploadedFile.ts'

/** How long the former bytes stay for responses that are being sent, and new bytes without a row. */
const timeoutSeconds = 3600

/**
 * Removes the metadata of one public picture that was stored before uploads did. The file keeps its id and its URL; its bytes, checksum and
 * version change. The new bytes have a new key, so that an interruption leaves the former ones.
 * @returns false if every stored picture is clean
 */
export async function cleanStoredPicture({ database, storage }: { database: Database; storage: FileStorage }): Promise<boolean> {
  const file = await findUncleaned(database.kysely, { types: cleanedTypes, maxBytes: maxPictureBytes })
  if (!file) return false
  const contents = await storage.read(file.storage_key)
  // The bytes are missing: there is nothing to clean.
  const sent = contents && Buffer.concat(await Array.fromAsync<Uint8Array>(contents))
  if (!sent) return await markCleaned(database.kysely, file)
  const key = `${file.school_id}/${newId()}`
  const place = { school_id: file.school_id, storage_key: key }
  await planRemoval(database.kysely, place, timeoutSeconds)
  const stored = await storePicture(storage, { key, contentType: file.content_type }, sent)
  await database.transaction(async (writer) => {
    if (!(await replaceBytes(writer, file, { ...stored, key }))) return
    await dropRemoval(writer, place)
    await planRemoval(writer, file, timeoutSeconds)
  })
  return true
}
