import { join } from 'node:path'
import { parseStorageAddress } from '../../base/net/storageAddress.ts'
import { diskFiles, type FileStorage } from './fileStorage.ts'

/** The file storage that an address names; without one, `files` under the data directory. */
export async function openFileStorage(dataDirectory: string, address: string | undefined): Promise<FileStorage> {
  if (address === undefined) return diskFiles(join(dataDirectory, 'files'))
  const bucket = parseStorageAddress(address)
  if (!bucket) throw new Error('STORAGE_URL must begin with s3://')
  // Loaded where it is needed: the client of Amazon's services is large.
  const { bucketFiles } = await import('./bucketFiles.ts')
  return bucketFiles(bucket)
}
