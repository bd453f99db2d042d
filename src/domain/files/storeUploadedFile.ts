import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { Problem } from '../../lib/problem.ts'
import type { FileStorage } from '../../store/fileStorage.ts'
import { cleanSvg } from './cleanSvg.ts'
import { headBytes, pictureSize, requireType } from './fileContents.ts'

/** The announced properties of an uploaded file. */
export interface AnnouncedFile {
  key: string
  contentType: string
  byteSize: number
  /** Hexadecimal. */
  checksum: string | null
}

/** The properties of the stored bytes. */
export interface UploadedFile {
  byteSize: number
  checksum: string
  width: number | null
  height: number | null
}

/** Bytes of a picture that are sampledChunks in memory to find its size: some cameras write long metadata before it. */
const pictureHeadBytes = 1_048_576

/**
 * Streams the bytes of a file to the storage: inspects the first ones before it stores any, and counts and hashes all. Stores nothing if
 * it fails.
 * @throws Problem type_not_allowed, checksum_mismatch, payload_too_large; invalid_request if the upload is incomplete
 */
export async function storeUploadedFile(
  storage: FileStorage,
  announced: AnnouncedFile,
  source: AsyncIterable<Uint8Array>,
): Promise<UploadedFile> {
  const { key, contentType, byteSize, checksum } = announced
  const meter = measured(source, byteSize)
  const [head, rest] = await peek(meter.bytes, headBytes)
  await requireType(head, contentType)
  if (contentType === 'image/svg+xml') return await storeDrawing(storage, announced, Buffer.concat(await Array.fromAsync(rest)), meter)
  const sampledChunks: Uint8Array[] = []
  const sample = contentType.startsWith('image/') ? pictureHeadBytes : 0
  await storage.write(key, Readable.from(sampled(rest, sampledChunks, sample), { objectMode: false }), { bytes: byteSize, contentType })
  try {
    requireChecksum(meter.digest(), checksum)
  } catch (error) {
    await storage.remove(key)
    throw error
  }
  return { byteSize, checksum: meter.digest(), ...pictureSize(Buffer.concat(sampledChunks), contentType) }
}

/** Stores an SVG drawing without anything else that the text contains, such as scripts. */
async function storeDrawing(
  storage: FileStorage,
  { key, contentType, checksum }: AnnouncedFile,
  sent: Buffer,
  meter: Meter,
): Promise<UploadedFile> {
  requireChecksum(meter.digest(), checksum)
  const cleaned = Buffer.from(cleanSvg(sent.toString('utf8')))
  await storage.write(key, Readable.from([cleaned]), { bytes: cleaned.length, contentType })
  return { byteSize: cleaned.length, checksum: sha256(cleaned), ...pictureSize(cleaned, contentType) }
}

function requireChecksum(found: string, announced: string | null): void {
  if (announced === null || found === announced) return
  throw new Problem('checksum_mismatch', {
    description: `The SHA-256 of the uploaded bytes is ${found}, but ${announced} was announced. Upload the file again.`,
  })
}

interface Meter {
  bytes: AsyncIterableIterator<Uint8Array>
  /** Hexadecimal SHA-256 of the bytes, once all of them were read. */
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
        throw new Problem('payload_too_large', { description: `The file is larger than the announced ${byteSize} bytes.` })
      hash.update(chunk)
      yield chunk
    }
    if (passed < byteSize) throw new Problem('invalid_request', { description: `The upload ended after ${passed} of ${byteSize} bytes.` })
  }
  return {
    bytes: pass(),
    digest() {
      digest ??= hash.digest('hex')
      return digest
    },
  }
}

/** Returns the first bytes, and a stream of all bytes. */
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

/** Passes the bytes on and collects the first ones in `sampledChunks`. */
async function* sampled(bytes: AsyncIterable<Uint8Array>, sampledChunks: Uint8Array[], length: number): AsyncGenerator<Uint8Array> {
  let left = length
  for await (const chunk of bytes) {
    if (left > 0) sampledChunks.push(chunk.subarray(0, left))
    left -= chunk.length
    yield chunk
  }
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
