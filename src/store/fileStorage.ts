import type { Readable } from 'node:stream'

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
  /** Throws where nothing can be written. */
  check(): Promise<void>
  /** Returns one line for the log, without secrets. */
  describe(): string
  close(): void
}

/** Returns the cause of a failed write: the library wraps the error of the stream. */
export const causeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error && error.code === 'E_CANNOT_WRITE_FILE' ? (error.cause ?? error) : error
