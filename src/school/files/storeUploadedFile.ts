import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { Problem } from '../../base/problem.ts'
import type { SchoolDatabase } from '../../database/connection/database.ts'
import type { FileStorage } from '../../database/files/fileStorage.ts'
import { completeFile } from '../../database/tables/files.ts'
import { claimUpload, completeUpload, releaseUpload, type UploadKey } from '../../database/tables/uploads.ts'
import { cleanSvg } from './cleanSvg.ts'
import { headBytes, pictureSize, requireType } from './fileContents.ts'
import { cleanedTypes, cleanPicture, maxPictureBytes } from './pictures/cleanPicture.ts'
import type { MetadataKind } from './pictures/pictureParts.ts'

export interface AnnouncedFile {
  key: string
  contentType: string
  byteSize: number
  checksum: string | null
  /** True if everybody can read the file: its metadata is removed if it is a picture. */
  isPublic: boolean
}

export interface UploadedFile {
  byteSize: number
  checksum: string
  width: number | null
  height: number | null
  /** The kinds of metadata that were removed from a public picture; null for other files. */
  metadataRemoved: MetadataKind[] | null
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
  const { key, contentType, byteSize, checksum, isPublic } = announced
  const isCleaned = isPublic && cleanedTypes.includes(contentType)
  if (isCleaned && byteSize > maxPictureBytes)
    throw new Problem('payload_too_large', {
      description: `A public picture can have at most ${maxPictureBytes} bytes, because its metadata is removed. Upload it as a private file.`,
    })
  const meter = measured(source, byteSize)
  const [head, rest] = await peek(meter.bytes, headBytes)
  await requireType(head, contentType)
  if (isCleaned || contentType === 'image/svg+xml') {
    const sent = Buffer.concat(await Array.fromAsync(rest))
    requireChecksum(meter.digest(), checksum)
    return isCleaned
      ? await storePicture(storage, { key, contentType }, sent)
      : await storeBytes(storage, { key, contentType }, Buffer.from(cleanSvg(sent.toString('utf8'))))
  }
  const sampledChunks: Uint8Array[] = []
  const sample = contentType.startsWith('image/') ? pictureHeadBytes : 0
  await storage.write(key, Readable.from(sampled(rest, sampledChunks, sample), { objectMode: false }), { bytes: byteSize, contentType })
  try {
    requireChecksum(meter.digest(), checksum)
  } catch (error) {
    await storage.remove(key)
    throw error
  }
  return { byteSize, checksum: meter.digest(), ...pictureSize(Buffer.concat(sampledChunks), contentType), metadataRemoved: null }
}

export async function storePicture(storage: FileStorage, place: StoredPlace, sent: Buffer): Promise<UploadedFile> {
  const { bytes, removed } = cleanPicture(sent, place.contentType)
  return { ...(await storeBytes(storage, place, bytes)), metadataRemoved: removed }
}

interface StoredPlace {
  key: string
  contentType: string
}

async function storeBytes(storage: FileStorage, { key, contentType }: StoredPlace, bytes: Buffer): Promise<UploadedFile> {
  await storage.write(key, Readable.from([bytes]), { bytes: bytes.length, contentType })
  return { byteSize: bytes.length, checksum: sha256(bytes), ...pictureSize(bytes, contentType), metadataRemoved: null }
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

async function* sampled(bytes: AsyncIterable<Uint8Array>, sampledChunks: Uint8Array[], length: number): AsyncGenerator<Uint8Array> {
  let left = length
  for await (const chunk of bytes) {
    if (left > 0) sampledChunks.push(chunk.subarray(0, left))
    left -= chunk.length
    yield chunk
  }
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

export interface UploadBody {
  bytes: AsyncIterable<Uint8Array>
  length: number | undefined
}

const usedUp = (): Problem =>
  new Problem('signature_invalid', {
    description: 'This upload URL is already used, or another request is using it. Announce the file again.',
  })

/**
 * Stores the bytes of an announced file. Of concurrent requests only one succeeds. An incomplete or wrong upload stores nothing, and its
 * URL can be used again.
 * @returns the file, and the account that announced it
 * @throws Problem signature_invalid if the URL was used; checksum_mismatch, type_not_allowed, payload_too_large, invalid_request
 */
export async function storeUpload(
  { database, storage }: { database: SchoolDatabase; storage: FileStorage },
  key: UploadKey,
  { bytes, length }: UploadBody,
): Promise<{ fileId: string; accountId: string }> {
  const { kysely } = database
  if (length === undefined)
    throw new Problem('invalid_request', { description: 'The Content-Length header is required. Send the size of the file in bytes.' })
  const row = await claimUpload(kysely, key)
  if (!row) throw usedUp()
  const announced = {
    ...{ key: row.storage_key, contentType: row.content_type, byteSize: Number(row.bytes), checksum: row.checksum_sha256 },
    isPublic: row.visibility === 'public',
  }
  try {
    requireLength(length, announced.byteSize)
    const facts = await storeUploadedFile(storage, announced, bytes)
    await database.transaction(async (writer) => {
      await completeFile(writer, database.schoolId, row.file_id, facts)
      if (!(await completeUpload(writer, key))) throw usedUp()
    })
  } catch (error) {
    await storage.remove(announced.key).catch(() => {})
    await releaseUpload(kysely, key)
    throw error
  }
  return { fileId: row.file_id, accountId: row.uploaded_by }
}

function requireLength(length: number, byteSize: number): void {
  if (length === byteSize) return
  const description = `Content-Length must be ${byteSize}, the announced size; it is ${length}.`
  throw new Problem(length > byteSize ? 'payload_too_large' : 'checksum_mismatch', { description })
}
