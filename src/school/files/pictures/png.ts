import { crc32 } from 'node:zlib'
import { kindsOfXmp, orientationOnly, readExif } from './exif.ts'
import { PictureParts } from './pictureParts.ts'

/** Chunks that a decoder needs for the pixels, their colours and their animation (PNG, third edition). */
const keptChunks = new Set([
  ...['IHDR', 'PLTE', 'IDAT', 'IEND', 'tRNS', 'cHRM', 'gAMA', 'iCCP', 'sBIT', 'sRGB', 'cICP', 'mDCV', 'cLLI', 'bKGD', 'hIST', 'pHYs'],
  ...['sPLT', 'acTL', 'fcTL', 'fdAT'],
])

/** Copies a PNG without its texts, times, Exif data and private chunks, but with the orientation. */
export function cleanPng(source: Buffer): PictureParts {
  const parts = new PictureParts(source)
  parts.keep(0, 8)
  let at = 8
  while (at + 8 <= source.length && parts.next()) {
    const type = source.toString('latin1', at + 4, at + 8)
    const end = at + 12 + source.readUInt32BE(at)
    if (keptChunks.has(type)) parts.keep(at, end)
    else dropChunk(parts, type, source.subarray(at + 8, end - 4))
    at = end
    if (type === 'IEND') break
  }
  if (at < source.length) parts.drop(['other'])
  return parts
}

function dropChunk(parts: PictureParts, type: string, content: Buffer): void {
  if (type === 'eXIf') {
    const { orientation, kinds } = readExif(content)
    parts.drop(kinds)
    const kept = orientationOnly(orientation)
    if (kept.length > 0 && parts.orientation === undefined) parts.add(chunk('eXIf', kept))
    parts.orientation ??= orientation
  } else if (type === 'iTXt' && content.subarray(0, 17).equals(xmpKeyword)) parts.drop(kindsOfXmp(content))
  else if (type === 'tIME') parts.drop(['time'])
  else parts.drop([/^[tiz]TXt$/.test(type) ? 'comment' : 'other'])
}

const xmpKeyword = Buffer.from('XML:com.adobe.xmp')

function chunk(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), content])
  const bytes = Buffer.alloc(named.length + 8)
  bytes.writeUInt32BE(content.length)
  named.copy(bytes, 4)
  bytes.writeUInt32BE(crc32(named), named.length + 4)
  return bytes
}
