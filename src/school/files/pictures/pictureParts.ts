export const metadataKinds = ['gps', 'camera', 'author', 'time', 'thumbnail', 'exif', 'xmp', 'iptc', 'comment', 'other'] as const

export type MetadataKind = (typeof metadataKinds)[number]

export interface CleanedPicture {
  bytes: Buffer
  removed: MetadataKind[]
  /** Exif orientation, 1 to 8; undefined if the file states none. */
  orientation: number | undefined
}

/** The greatest number of segments or chunks of a file that are read. Cameras and editors write fewer than a thousand. */
const maxParts = 100_000

/** The longest part that is added: a description of the orientation. */
const maxAdded = 64

/**
 * Collects the parts of a cleaned picture in one buffer, so that the memory does not depend on the number of parts. Parts that the file does
 * not contain completely are copied as far as they go.
 */
export class PictureParts {
  readonly removed = new Set<MetadataKind>()
  orientation: number | undefined
  private readonly source: Buffer
  private readonly target: Buffer
  private length = 0
  private parts = 0

  constructor(source: Buffer) {
    this.source = source
    this.target = Buffer.allocUnsafe(source.length + maxAdded)
  }

  /** Returns false once the file has too many parts: what follows is not copied. */
  next(): boolean {
    this.parts += 1
    return this.parts <= maxParts
  }

  keep(from: number, to: number): void {
    const { length } = this.source
    this.length += this.source.copy(this.target, this.length, Math.min(from, length), Math.min(to, length))
  }

  add(bytes: Uint8Array): void {
    if (this.length + bytes.length > this.target.length) return
    this.target.set(bytes, this.length)
    this.length += bytes.length
  }

  drop(kinds: Iterable<MetadataKind>): void {
    for (const kind of kinds) this.removed.add(kind)
  }

  /** Returns the bytes that were collected so far, for corrections of the header. */
  get bytes(): Buffer {
    return this.target.subarray(0, this.length)
  }

  finish(): CleanedPicture {
    return { bytes: this.bytes, removed: [...this.removed].sort(), orientation: this.orientation }
  }
}
