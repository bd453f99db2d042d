import type { Readable } from 'node:stream'

/** A stretch of bytes, both ends included. */
export interface ByteRange {
  first: number
  last: number
}

/** Where the bytes of files stand: a directory, or a bucket. Keys are `<school>/<file>`; what they mean stands in the database. */
export interface FileStorage {
  /**
   * Stores exactly `bytes` bytes. What is already there is replaced; after a failure nothing whole stands there.
   * @throws what the stream fails with
   */
  write(key: string, contents: Readable, about: { bytes: number; contentType: string }): Promise<void>
  /** The bytes, or a stretch of them; undefined where there are none. */
  read(key: string, range?: ByteRange): Promise<Readable | undefined>
  /** Removes the bytes. Removing what is not there is no failure. */
  remove(key: string): Promise<void>
  /** Throws where nothing can be written. */
  check(): Promise<void>
  /** One line for the log. No secret stands in it. */
  describe(): string
  close(): void
}

/** What a write failed with: the library puts its own error around that of the stream. */
export const causeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error && error.code === 'E_CANNOT_WRITE_FILE' ? (error.cause ?? error) : error
