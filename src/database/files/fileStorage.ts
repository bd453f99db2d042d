import { createWriteStream } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { Disk } from 'flydrive'
import { FSDriver } from 'flydrive/drivers/fs'
import { newId } from '../../base/ids.ts'
import { errorCode } from '../../base/log/errorCode.ts'
import { reasonOf } from '../../base/log/reason.ts'
import type { Database } from '../connection/database.ts'
import { makePrivate } from '../connection/makePrivate.ts'

/** A range of bytes, both ends included. */
export interface ByteRange {
  first: number
  last: number
}

/** Storage of file contents: a directory or a bucket. Keys are `<school>/<file>`; the database holds their metadata. */
export interface FileStorage {
  /**
   * Stores exactly `bytes` bytes. Replaces existing bytes; after a failure there is no complete file.
   * @throws what the stream fails with
   */
  write(key: string, contents: Readable, about: { bytes: number; contentType: string }): Promise<void>
  /** Returns the bytes, or a range of them; undefined if the file is missing. */
  read(key: string, range?: ByteRange): Promise<Readable | undefined>
  /** Removes the bytes. Removing what is not there is no failure. */
  remove(key: string): Promise<void>
  /**
   * Writes a small file and removes it.
   * @throws Error with the place and the reason
   */
  check(): Promise<void>
  /** Returns one line for the log, without secrets. */
  describe(): string
  close(): void
}

/** Returns the cause of a failure: the library wraps the error of the stream or of the store. */
export const causeOf = (error: unknown): unknown =>
  error instanceof Error && errorCode(error)?.startsWith('E_CANNOT_') ? (error.cause ?? error) : error

/** Creates the error of a failed check, with the place of the files. Responses of a bucket have a name and a status. */
export function storageFailure(place: string, error: unknown): Error {
  const cause = causeOf(error)
  const status = cause instanceof Error && '$metadata' in cause && (cause.$metadata as { httpStatusCode?: number }).httpStatusCode
  const reason = cause instanceof Error && status ? `${cause.name} (status ${status})` : reasonOf(cause)
  return new Error(`${place} takes no writes: ${reason}`, { cause })
}

/** The key under which a storage contains the id of the installation that it belongs to. */
export const storageIdKey = 'storage-id'

/** Longer contents under that key are not an id. */
const longestId = 36

/** The file storage of this process is not the one of its database. */
export class WrongStorage extends Error {
  override name = 'WrongStorage'
}

type Reading = Pick<FileStorage, 'read' | 'describe'>

/**
 * Compares the id in the database with the id in the storage. The first process of an installation writes both.
 * @throws WrongStorage if they differ, and the storage's own error if it does not respond
 */
export async function requireOwnStorage(database: Database, storage: FileStorage): Promise<void> {
  if (await isOwnStorage(database, storage)) return
  await database.transaction(async (writer) => {
    // Other processes that start now wait here, so that one of them writes the id.
    const row = await writer.selectFrom('installation').select('storage_id').forUpdate().executeTakeFirstOrThrow()
    if (row.storage_id !== null) return requireId(row.storage_id, await idIn(storage), storage)
    const found = await idIn(storage)
    const id = found ?? newId()
    if (found === undefined) await writeId(storage, id)
    await writer.updateTable('installation').set({ storage_id: id }).execute()
    return undefined
  })
}

/**
 * True if the ids are equal, and false if no process has compared them before. Writes nothing.
 * @throws WrongStorage if they differ
 */
export async function isOwnStorage({ kysely }: Pick<Database, 'kysely'>, storage: Reading): Promise<boolean> {
  const { storage_id: expected } = await kysely.selectFrom('installation').select('storage_id').executeTakeFirstOrThrow()
  if (expected === null) return false
  requireId(expected, await idIn(storage), storage)
  return true
}

/**
 * Makes the storage the one of this database: for files that were moved or copied without their id. The id of a storage stays, because
 * other databases can share it. Returns true if anything was changed.
 */
export async function acceptStorage(database: Database, storage: FileStorage): Promise<boolean> {
  return await database.transaction(async (writer) => {
    const { storage_id: expected } = await writer.selectFrom('installation').select('storage_id').forUpdate().executeTakeFirstOrThrow()
    const found = await idIn(storage)
    if (found !== undefined && found === expected) return false
    const id = found ?? expected ?? newId()
    if (found === undefined) await writeId(storage, id)
    await writer.updateTable('installation').set({ storage_id: id }).execute()
    return true
  })
}

function requireId(expected: string, found: string | undefined, storage: Reading): void {
  if (found === expected) return
  const what = found === undefined ? `the file ${storageIdKey} is missing there` : 'they belong to another database'
  throw new WrongStorage(
    `${storage.describe()}, which are not the files of this database: ${what}. Set STORAGE_URL or DATA_DIR as the other processes have it. ` +
      'If the files were moved there, run schoolgate storage accept',
  )
}

async function idIn(storage: Reading): Promise<string | undefined> {
  const contents = await storage.read(storageIdKey, { first: 0, last: longestId - 1 })
  const id = contents && (await text(contents)).trim()
  return id || undefined
}

async function writeId(storage: FileStorage, id: string): Promise<void> {
  const bytes = Buffer.from(id)
  await storage.write(storageIdKey, Readable.from([bytes], { objectMode: false }), { bytes: bytes.length, contentType: 'text/plain' })
}

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
