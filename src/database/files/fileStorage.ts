import type { Readable } from 'node:stream'
import { errorCode } from '../../base/log/errorCode.ts'
import { reasonOf } from '../../base/log/reason.ts'

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
