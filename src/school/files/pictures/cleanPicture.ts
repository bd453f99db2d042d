import { cleanAvif } from './avif.ts'
import { kindsOfXmp, orientationOnly, readExif } from './exif.ts'
import { cleanJpeg } from './jpeg.ts'
import { type CleanedPicture, PictureParts } from './pictureParts.ts'
import { cleanPng } from './png.ts'

const [extension, image] = [0x21, 0x2c]
const [commentLabel, textLabel, applicationLabel] = [0xfe, 0x01, 0xff]

/** Applications whose extensions a decoder needs: the number of repetitions, and the colour profile. */
const keptApplications = new Set(['NETSCAPE2.0', 'ANIMEXTS1.0', 'ICCRGBG1012'])

/** Copies a GIF (89a) without its comments, texts and the data of applications. */
function cleanGif(source: Buffer): PictureParts {
  const parts = new PictureParts(source)
  let at = 13 + tableBytes(source[10])
  parts.keep(0, at)
  while (at < source.length && parts.next()) {
    const kind = source[at]
    const label = source[at + 1]
    if (kind === image) {
      const end = endOfBlocks(source, at + 11 + tableBytes(source[at + 9]))
      parts.keep(at, end)
      at = end
    } else if (kind === extension && label !== undefined) {
      const end = endOfBlocks(source, at + 2)
      copyExtension(parts, source, { label, at, end })
      at = end
    } else {
      parts.keep(at, at + 1)
      at += 1
      break
    }
  }
  if (at < source.length) parts.drop(['other'])
  return parts
}

const tableBytes = (packed = 0): number => (packed & 0x80 ? 3 * 2 ** ((packed & 0x07) + 1) : 0)

/** Returns where a series of blocks ends, each of which begins with its length. */
function endOfBlocks(source: Buffer, from: number): number {
  let at = from
  for (let length = source[at]; length !== undefined; length = source[at]) {
    at += length + 1
    if (length === 0) return at
  }
  return source.length
}

function copyExtension(parts: PictureParts, source: Buffer, { label, at, end }: { label: number; at: number; end: number }): void {
  const application = label === applicationLabel ? source.toString('latin1', at + 3, at + 14) : ''
  if (application === 'XMP DataXMP') parts.drop(kindsOfXmp(source.subarray(at, end)))
  else if (label === commentLabel || label === textLabel) parts.drop(['comment'])
  else if (label === applicationLabel && !keptApplications.has(application)) parts.drop(['other'])
  else parts.keep(at, end)
}

const keptChunks = new Set(['VP8 ', 'VP8L', 'VP8X', 'ANIM', 'ANMF', 'ALPH', 'ICCP'])
const exifFlag = 0x08
const xmpFlag = 0x04

/** Copies a WebP (RFC 9649) without its Exif, XMP and unknown chunks, but with the orientation. */
function cleanWebp(source: Buffer): PictureParts {
  const parts = new PictureParts(source)
  parts.keep(0, 12)
  const length = Math.min(source.length, source.length < 8 ? 0 : source.readUInt32LE(4) + 8)
  let at = 12
  let extended = -1
  while (at + 8 <= length && parts.next()) {
    const type = source.toString('latin1', at, at + 4)
    const size = source.readUInt32LE(at + 4)
    const end = Math.min(length, at + 8 + size + (size % 2))
    if (type === 'VP8X' && extended === -1) extended = parts.bytes.length + 8
    if (keptChunks.has(type)) parts.keep(at, end)
    else dropChunk(parts, type, source.subarray(at + 8, end))
    at = end
  }
  if (length < source.length) parts.drop(['other'])
  const kept = orientationOnly(parts.orientation)
  if (extended !== -1 && kept.length > 0) parts.add(Buffer.concat([Buffer.from('EXIF'), littleEndian(kept.length), kept]))
  const { bytes } = parts
  if (bytes.length >= 8) bytes.writeUInt32LE(bytes.length - 8, 4)
  const flags = bytes[extended]
  if (flags !== undefined) bytes[extended] = (flags & ~(exifFlag | xmpFlag)) | (kept.length > 0 ? exifFlag : 0)
  return parts
}

function dropChunk(parts: PictureParts, type: string, content: Buffer): void {
  if (type === 'EXIF') {
    // Some writers begin the chunk as a JPEG segment begins.
    const { orientation, kinds } = readExif(content.toString('latin1', 0, 6) === 'Exif\0\0' ? content.subarray(6) : content)
    parts.drop(kinds)
    parts.orientation ??= orientation
  } else parts.drop(type === 'XMP ' ? kindsOfXmp(content) : ['other'])
}

function littleEndian(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

const cleaners = new Map<string, (source: Buffer) => PictureParts>([
  ['image/jpeg', cleanJpeg],
  ['image/png', cleanPng],
  ['image/webp', cleanWebp],
  ['image/gif', cleanGif],
  ['image/avif', cleanAvif],
])

export const cleanedTypes: readonly string[] = [...cleaners.keys()]

/** The greatest size of a picture whose metadata is removed: it is in memory meanwhile, twice. */
export const maxPictureBytes = 26_214_400

/**
 * Copies a picture without the metadata that says where, when, by whom and with what it was taken. The pixels, the colour profile, the
 * animation and the orientation stay; nothing is decoded. Never fails: the time and the memory are linear in the size, and what a broken
 * file does not contain completely is copied or left out as far as it goes.
 */
export function cleanPicture(source: Buffer, contentType: string): CleanedPicture {
  const clean = cleaners.get(contentType)
  return clean ? clean(source).finish() : { bytes: source, removed: [], orientation: undefined }
}
