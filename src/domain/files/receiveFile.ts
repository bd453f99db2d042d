import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { Problem } from '../../lib/problem.ts'
import type { FileStorage } from '../../store/fileStorage.ts'
import { cleanSvg } from './cleanSvg.ts'
import { headBytes, pictureSize, requireType } from './fileContents.ts'

/** What was said of a file before its bytes came. */
export interface AnnouncedFile {
  key: string
  contentType: string
  byteSize: number
  /** Hexadecimal. */
  checksum: string | null
}

/** What the bytes turned out to be. */
export interface ReceivedFile {
  byteSize: number
  checksum: string
  width: number | null
  height: number | null
}

/** How much of a picture is kept in memory to find its size: some cameras write a lot before it. */
const pictureHeadBytes = 1_048_576

/**
 * Takes the bytes of a file straight into the storage: looks at the first ones before storing any, counts and hashes all.
 * After a failure nothing is stored.
 * @throws Problem type_not_allowed, checksum_mismatch, payload_too_large; invalid_request where the bytes break off
 */
export async function receiveFile(
  storage: FileStorage,
  announced: AnnouncedFile,
  source: AsyncIterable<Uint8Array>,
): Promise<ReceivedFile> {
  const { key, contentType, byteSize, checksum } = announced
  const meter = measured(source, byteSize)
  const [head, rest] = await peek(meter.bytes, headBytes)
  await requireType(head, contentType)
  if (contentType === 'image/svg+xml') return await receiveDrawing(storage, announced, Buffer.concat(await Array.fromAsync(rest)), meter)
  const kept: Uint8Array[] = []
  const sample = contentType.startsWith('image/') ? pictureHeadBytes : 0
  await storage.write(key, Readable.from(sampled(rest, kept, sample), { objectMode: false }), { bytes: byteSize, contentType })
  try {
    requireChecksum(meter.digest(), checksum)
  } catch (error) {
    await storage.remove(key)
    throw error
  }
  return { byteSize, checksum: meter.digest(), ...pictureSize(Buffer.concat(kept), contentType) }
}

/** A drawing is text that can carry more than a drawing: what is stored is the drawing alone. */
async function receiveDrawing(
  storage: FileStorage,
  { key, contentType, checksum }: AnnouncedFile,
  sent: Buffer,
  meter: Meter,
): Promise<ReceivedFile> {
  requireChecksum(meter.digest(), checksum)
  const cleaned = Buffer.from(cleanSvg(sent.toString('utf8')))
  await storage.write(key, Readable.from([cleaned]), { bytes: cleaned.length, contentType })
  return { byteSize: cleaned.length, checksum: sha256(cleaned), ...pictureSize(cleaned, contentType) }
}

function requireChecksum(found: string, announced: string | null): void {
  if (announced === null || found === announced) return
  throw new Problem('checksum_mismatch', {
    description: `The SHA-256 of the bytes is ${found}, announced was ${announced}. Send them again.`,
  })
}

interface Meter {
  bytes: AsyncIterableIterator<Uint8Array>
  /** Hexadecimal SHA-256 of what has passed, once all of it has. */
  digest(): string
}

function measured(source: AsyncIterable<Uint8Array>, byteSize: number): Meter {
  const hash = createHash('sha256')
  let digest: string | undefined
  async function* pass(): AsyncGenerator<Uint8Array> {
    let passed = 0
    for await (const chunk of source) {
      passed += chunk.length
      if (passed > byteSize)
        throw new Problem('payload_too_large', { description: `The file was announced with ${byteSize} bytes and has more.` })
      hash.update(chunk)
      yield chunk
    }
    if (passed < byteSize) throw new Problem('invalid_request', { description: `The bytes end after ${passed} of ${byteSize}.` })
  }
  return {
    bytes: pass(),
    digest() {
      digest ??= hash.digest('hex')
      return digest
    },
  }
}

/** The first bytes, and all of them once more. */
async function peek(bytes: AsyncIterableIterator<Uint8Array>, length: number): Promise<[Buffer, AsyncIterable<Uint8Array>]> {
  const chunks: Uint8Array[] = []
  let seen = 0
  while (seen < length) {
    const { value, done } = await bytes.next()
    if (done) break
    chunks.push(value)
    seen += value.length
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    yield* chunks
    yield* bytes
  }
  return [Buffer.concat(chunks).subarray(0, length), all()]
}

/** Passes the bytes on, and keeps the first ones. */
async function* sampled(bytes: AsyncIterable<Uint8Array>, kept: Uint8Array[], length: number): AsyncGenerator<Uint8Array> {
  let left = length
  for await (const chunk of bytes) {
    if (left > 0) kept.push(chunk.subarray(0, left))
    left -= chunk.length
    yield chunk
  }
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
