import { createHash } from 'node:crypto'
import type { FileStorage } from '../../database/files/fileStorage.ts'

export type SaveFile = (name: string, contents: AsyncIterable<Uint8Array>) => Promise<void>

/** A file as a manifest names it. */
export interface SavedFile {
  key: string
  bytes: number
  sha256: string
}

export interface SaveFilesArguments {
  storage: Pick<FileStorage, 'read'>
  keys: readonly string[]
  save: SaveFile
  onProgress(progress: { name: string; done: number; of: number }): void
}

/** Saves each file as `files/<key>`. Returns the saved files, and the keys without contents. */
export async function saveFiles({
  storage,
  keys,
  save,
  onProgress,
}: SaveFilesArguments): Promise<{ files: SavedFile[]; missing: string[] }> {
  const files: SavedFile[] = []
  const missing: string[] = []
  for (const [index, key] of keys.entries()) {
    const contents = await storage.read(key)
    if (contents === undefined) missing.push(key)
    else {
      const summed = { bytes: 0, hash: createHash('sha256') }
      await save(`files/${key}`, summing(contents, summed))
      files.push({ key, bytes: summed.bytes, sha256: summed.hash.digest('hex') })
    }
    onProgress({ name: 'files', done: index + 1, of: keys.length })
  }
  return { files, missing }
}

async function* summing(
  contents: AsyncIterable<Uint8Array>,
  summed: { bytes: number; hash: ReturnType<typeof createHash> },
): AsyncGenerator<Uint8Array> {
  for await (const chunk of contents) {
    summed.bytes += chunk.length
    summed.hash.update(chunk)
    yield chunk
  }
}
