import { imageSize } from 'image-size'
import { Problem } from '../../base/problem.ts'
import { cleanPicture } from './pictures/cleanPicture.ts'

/** The number of bytes that are inspected before the first one is stored. */
export const headBytes = 4100

/** Other media types of the same content, and containers whose content begins after the inspected bytes. */
const alsoDetectedAs: Readonly<Record<string, readonly string[]>> = {
  'image/png': ['image/apng'],
  'audio/mp4': ['audio/x-m4a', 'video/mp4'],
  'audio/ogg': ['audio/ogg; codecs=opus', 'application/ogg'],
  'video/webm': ['video/matroska'],
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': ['application/zip'],
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': ['application/zip'],
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': ['application/zip'],
}

const texts = new Set(['text/plain', 'text/csv', 'text/vtt', 'application/x-subrip', 'image/svg+xml'])

/**
 * Checks that the first bytes of a file match the announced type.
 * @throws Problem type_not_allowed
 */
export async function requireType(head: Uint8Array, contentType: string): Promise<void> {
  const { fileTypeFromBuffer } = await import('file-type')
  const detected: string | undefined = (await fileTypeFromBuffer(head).catch(() => undefined))?.mime
  const isRight = texts.has(contentType)
    ? isText(head) && (detected === undefined || detected.startsWith('text/') || detected === 'application/xml')
    : detected === contentType || alsoDetectedAs[contentType]?.includes(detected ?? '')
  const isSubtitle = contentType !== 'text/vtt' || new TextDecoder().decode(head.subarray(0, 20)).startsWith('WEBVTT')
  if (isRight && isSubtitle) return
  throw new Problem('type_not_allowed', {
    description: `The content does not match ${contentType}. Announce the actual type of the file.`,
    details: [
      {
        field: 'content_type',
        code: 'type_not_allowed',
        message: `content_type: must match the content, which is ${detected ?? 'of an unknown type'}`,
      },
    ],
  })
}

// The inspected bytes may end within a character, which is not an error.
function isText(head: Uint8Array): boolean {
  try {
    return !new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true }).includes('\0')
  } catch {
    return false
  }
}

/** Returns width and height in pixels from the header of a picture. Decodes nothing, so a decompression bomb has no effect. */
export function pictureSize(head: Uint8Array, contentType: string): { width: number | null; height: number | null } {
  const unknown = { width: null, height: null }
  if (!contentType.startsWith('image/')) return unknown
  if (contentType === 'image/jpeg' && !hasFrameHeader(head)) return unknown
  try {
    const { width, height, ...stated } = imageSize(head)
    const orientation = cleanPicture(Buffer.from(head), contentType).orientation ?? stated.orientation ?? 1
    if (!isLength(width) || !isLength(height)) return unknown
    // Orientations above 4 are rotated by 90 degrees.
    return orientation > 4 ? { width: height, height: width } : { width, height }
  } catch {
    return unknown
  }
}

const maxSegments = 1000

/**
 * Returns true for a JPEG whose segments lead to its frame header. The library searches a broken file byte by byte, which takes one
 * second per megabyte.
 */
function hasFrameHeader(head: Uint8Array): boolean {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  let at = 2
  for (let segments = 0; segments < maxSegments && at + 4 <= head.length; segments++) {
    if (head[at] !== 0xff) return false
    const marker = view.getUint8(at + 1)
    if (marker >= 0xc0 && marker <= 0xc2) return true
    at += 2 + view.getUint16(at + 2)
  }
  return false
}

const isLength = (pixels: unknown): boolean =>
  Number.isInteger(Math.round(Number(pixels))) && Number(pixels) >= 1 && Number(pixels) <= 1_000_000
