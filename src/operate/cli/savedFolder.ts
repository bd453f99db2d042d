import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import { errorCode } from '../../base/log/errorCode.ts'
import { parseJson } from '../../base/text/parseJson.ts'
import type { FileStorage } from '../../database/files/fileStorage.ts'
import { failure } from './failures.ts'
import type { SavedFile } from './saveFiles.ts'

/** The members of every manifest that name files. No part of a key is `.` or `..`, so keys cannot leave the directory. */
export const savedFiles = z.array(
  z.object({
    key: z.string().regex(/^[\w-]+(\/(?!\.\.?(\/|$))[\w.-]+)*$/),
    bytes: z.int().min(0),
    sha256: z.string().regex(/^[\da-f]{64}$/),
  }),
)

/**
 * Reads `manifest.json` of a directory, which is written last.
 * @throws CommanderError if it is missing or of another kind
 */
export async function readManifest<Manifest>(directory: string, schema: z.ZodType<Manifest>, what: string): Promise<Manifest> {
  const path = join(directory, 'manifest.json')
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && errorCode(error) === 'ENOENT')
      throw failure(`${resolve(directory)} contains no manifest.json: it is no ${what}, or one that was not completed`)
    throw error
  })
  try {
    return schema.parse(parseJson(text))
  } catch {
    throw failure(`${path} is not the manifest of a ${what} that this release reads`)
  }
}

/** Returns the files whose contents differ from the manifest, or that are missing. */
export async function damagedFiles(directory: string, files: readonly SavedFile[]): Promise<string[]> {
  const damaged: string[] = []
  for (const { key, sha256 } of files) {
    const hash = createHash('sha256')
    const isRead = await pipeline(createReadStream(join(directory, 'files', key)), hash).then(
      () => true,
      () => false,
    )
    if (!isRead || hash.digest('hex') !== sha256) damaged.push(key)
  }
  return damaged
}

export interface StoreFilesArguments {
  directory: string
  files: readonly SavedFile[]
  storage: FileStorage
  /** Returns the key under which a file is stored. */
  keyOf?(key: string): string
  onProgress(progress: { name: string; done: number; of: number }): void
}

export async function storeFiles({ directory, files, storage, keyOf = (key) => key, onProgress }: StoreFilesArguments): Promise<void> {
  for (const [index, { key, bytes }] of files.entries()) {
    await storage.write(keyOf(key), createReadStream(join(directory, 'files', key)), { bytes, contentType: 'application/octet-stream' })
    onProgress({ name: 'files', done: index + 1, of: files.length })
  }
}
