import { kindsOfXmp, orientationOnly, readExif } from './exif.ts'
import { PictureParts } from './pictureParts.ts'

const [startOfImage, endOfImage, startOfScan] = [0xd8, 0xd9, 0xda]
const [app0, app1, app2, app13, app14, app15, comment] = [0xe0, 0xe1, 0xe2, 0xed, 0xee, 0xef, 0xfe]

/** Markers without a length: restarts, and a private one. */
const isAlone = (marker: number): boolean => (marker >= 0xd0 && marker <= startOfImage) || marker === 0x01

/**
 * Copies a JPEG (ITU T.81) without its application segments and comments, but with the colour profile, the colour transform and the
 * orientation. Everything behind the picture is left out: other pictures, and videos.
 */
export function cleanJpeg(source: Buffer): PictureParts {
  const parts = new PictureParts(source)
  parts.keep(0, 2)
  let at = 2
  while (at + 1 < source.length && parts.next()) {
    const mark = source.indexOf(0xff, at)
    const marker = source[mark + 1]
    if (mark === -1 || marker === undefined) break
    if (marker === 0xff || marker === 0) {
      at = mark + 1
      continue
    }
    if (marker === endOfImage) {
      parts.keep(mark, mark + 2)
      if (mark + 2 < source.length) parts.drop(['other'])
      return parts
    }
    const end = isAlone(marker) ? mark + 2 : mark + 2 + lengthAt(source, mark + 2)
    copySegment(parts, source, { marker, mark, end })
    at = marker === startOfScan ? endOfScan(source, end) : end
    if (marker === startOfScan) parts.keep(end, at)
  }
  return parts
}

const lengthAt = (source: Buffer, at: number): number => (at + 2 > source.length ? source.length : Math.max(2, source.readUInt16BE(at)))

/** Returns the end of compressed data: the next marker that is not a part of it. */
function endOfScan(source: Buffer, from: number): number {
  for (let mark = from; mark + 1 < source.length; mark++) {
    if (source[mark] !== 0xff) continue
    const marker = source[mark + 1] ?? 0
    if (marker !== 0 && marker !== 0xff && !(marker >= 0xd0 && marker <= 0xd7)) return mark
  }
  return source.length
}

interface Segment {
  marker: number
  mark: number
  end: number
}

function copySegment(parts: PictureParts, source: Buffer, { marker, mark, end }: Segment): void {
  const content = source.subarray(mark + 4, end)
  const begins = (name: string): boolean => content.toString('latin1', 0, name.length) === name
  const isApplication = marker >= app0 && marker <= app15
  const isColour = (marker === app2 && begins('ICC_PROFILE\0')) || (marker === app14 && begins('Adobe'))
  if (isColour || (!isApplication && marker !== comment)) parts.keep(mark, end)
  else if (marker === app0 && begins('JFIF\0')) keepHeader(parts, content)
  else if (marker === app1 && begins('Exif\0')) {
    const { orientation, kinds } = readExif(content.subarray(6))
    parts.drop(kinds)
    const kept = orientationOnly(orientation)
    if (kept.length > 0 && parts.orientation === undefined)
      parts.add(Buffer.concat([Buffer.from([0xff, app1, 0, kept.length + 8]), Buffer.from('Exif\0\0'), kept]))
    parts.orientation ??= orientation
  } else if (marker === app1 && begins('http://ns.adobe.com/')) parts.drop(kindsOfXmp(content))
  else if (marker === app13) parts.drop(['iptc'])
  else parts.drop([marker === comment ? 'comment' : marker === app0 ? 'thumbnail' : 'other'])
}

/** Keeps the resolution, and no thumbnail. */
function keepHeader(parts: PictureParts, content: Buffer): void {
  const header = Buffer.alloc(14)
  content.copy(header, 0, 0, 12)
  parts.add(Buffer.from([0xff, app0, 0, header.length + 2]))
  parts.add(header)
  if (content.length > header.length) parts.drop(['thumbnail'])
}
