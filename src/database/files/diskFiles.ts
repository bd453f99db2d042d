import { createWriteStream } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Disk } from 'flydrive'
import { FSDriver } from 'flydrive/drivers/fs'
import { newId } from '../../base/ids.ts'
import { makePrivate } from '../connection/makePrivate.ts'
import { type FileStorage, storageFailure } from './fileStorage.ts'

/** File storage in a directory of this machine. Several machines need it shared, or a bucket in its place. */
export function diskFiles(directory: string): FileStorage {
  const disk = new Disk(new FSDriver({ location: directory, visibility: 'private' }))
  let prepared: Promise<void> | undefined
  /** Reading creates nothing. */
  const prepare = (): Promise<void> => {
    prepared ??= makePrivate(directory).catch((error: unknown) => {
      prepared = undefined
      throw error
    })
    return prepared
  }
  return {
    async write(key, contents) {
      const path = join(directory, key)
      try {
        await prepare()
        await mkdir(dirname(path), { recursive: true, mode: 0o700 })
        // The library would report that the contents were aborted, and not that the disk is full.
        await pipeline(contents, createWriteStream(path, { mode: 0o600 }))
      } catch (error) {
        await disk.delete(key).catch(() => {})
        throw error
      }
    },
    // Opened before anything is answered: what is missing is known while one can still say so.
    async read(key, range) {
      const file = await open(join(directory, key)).catch(absent)
      return file?.createReadStream(range && { start: range.first, end: range.last })
    },
    remove: (key) => disk.delete(key),
    async check() {
      const key = `check/${newId()}`
      try {
        await prepare()
        await disk.put(key, 'writable')
        await disk.delete(key)
      } catch (error) {
        throw storageFailure(`the directory ${directory}`, error)
      }
    },
    describe: () => `files are stored in ${directory}`,
    close() {},
  }
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
