import { randomBytes } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readdir, rm, stat, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseStorageAddress } from '../../src/base/net/storageAddress.ts'
import { isOutage } from '../../src/base/process/outage.ts'
import { openDatabase } from '../../src/database/connection/openDatabase.ts'
import { bucketFiles } from '../../src/database/files/bucketFiles.ts'
import { diskFiles, type FileStorage } from '../../src/database/files/fileStorage.ts'
import { startBucketServer } from '../support/bucketServer.ts'

const kinds: { name: string; open(): Promise<{ storage: FileStorage; close(): Promise<void> }> }[] = [
  {
    name: 'a directory',
    async open() {
      const directory = await mkdtemp(join(tmpdir(), 'schoolgate-files-'))
      return { storage: diskFiles(directory), close: () => rm(directory, { recursive: true, force: true }) }
    },
  },
  {
    name: 'a bucket',
    async open() {
      const server = await startBucketServer()
      const address = parseStorageAddress(`s3://files?endpoint=${encodeURIComponent(server.endpoint)}`)
      if (!address) throw new Error('no address')
      const storage = bucketFiles(address, { accessKeyId: 'test', secretAccessKey: 'test' })
      return {
        storage,
        async close() {
          storage.close()
          await server.close()
        },
      }
    },
  },
]

describe.each(kinds)('file storage in $name', ({ open }) => {
  let storage: FileStorage
  let close: () => Promise<void>
  beforeAll(async () => {
    ;({ storage, close } = await open())
  })
  afterAll(() => close())

  const write = (key: string, bytes: Buffer): Promise<void> =>
    storage.write(key, Readable.from([bytes.subarray(0, 10), bytes.subarray(10)], { objectMode: false }), {
      bytes: bytes.length,
      contentType: 'application/pdf',
    })
  const read = async (key: string, range?: { first: number; last: number }): Promise<Buffer | undefined> => {
    const stream = await storage.read(key, range)
    return stream && (await buffer(stream))
  }

  test('stores bytes unchanged, returns them whole and in ranges, and replaces them', async () => {
    const bytes = randomBytes(300_000)
    await write('school/file', bytes)
    expect((await read('school/file'))?.equals(bytes)).toBe(true)
    expect((await read('school/file', { first: 5, last: 99 }))?.equals(bytes.subarray(5, 100))).toBe(true)
    await write('school/file', randomBytes(20))
    expect((await read('school/file'))?.length).toBe(20)
  })

  test('has nothing where nothing was written, and removes what is not there without a word', async () => {
    expect(await read('school/nothing')).toBeUndefined()
    await storage.remove('school/nothing')
    await write('school/gone', randomBytes(30))
    await storage.remove('school/gone')
    expect(await read('school/gone')).toBeUndefined()
  })

  test('a stream that fails leaves nothing and fails with its own error', async () => {
    async function* failing(): AsyncGenerator<Buffer> {
      yield randomBytes(1000)
      throw new Error('the sender is gone')
    }
    const writing = storage.write('school/broken', Readable.from(failing(), { objectMode: false }), {
      bytes: 5000,
      contentType: 'image/png',
    })
    await expect(writing).rejects.toThrow('the sender is gone')
    expect(await read('school/broken')).toBeUndefined()
  })

  test('says whether it can be written to', async () => {
    await expect(storage.check()).resolves.toBeUndefined()
  })
})

test('an address names a bucket and nothing else, never a credential', () => {
  expect(parseStorageAddress('s3://files?endpoint=https://s3.example.com&region=eu-1')).toEqual({
    bucket: 'files',
    endpoint: 'https://s3.example.com',
    region: 'eu-1',
  })
  for (const wrong of [
    'files',
    's3://',
    's3://user:secret@files',
    's3://files/prefix',
    's3://files?secret=1',
    's3://files?endpoint=ftp://x',
    'gs://files',
  ]) {
    expect(parseStorageAddress(wrong)).toBeUndefined()
  }
})

test('a full disk is an outage, with its own error code, and leaves no file', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'schoolgate-files-'))
  try {
    await symlink('/dev/full', join(directory, 'file'))
    // The source reads from another stream, as an upload reads its request.
    async function* passOn(): AsyncGenerator<Uint8Array> {
      yield* Readable.from([randomBytes(100_000), randomBytes(100_000), randomBytes(100_000)])
    }
    const written = diskFiles(directory).write('file', Readable.from(passOn(), { objectMode: false }), {
      bytes: 300_000,
      contentType: 'application/pdf',
    })
    const error = await written.catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'ENOSPC' })
    expect(isOutage(error)).toBe(true)
    expect(await readdir(directory)).toEqual([])
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
})

test('files and the embedded database are readable by their owner only, also in a directory that everybody may read', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'schoolgate-modes-'))
  const mode = async (name: string): Promise<string> => ((await stat(join(directory, name))).mode & 0o777).toString(8)
  try {
    await chmod(directory, 0o755)
    // As a release created it that did not set modes.
    await mkdir(join(directory, 'files'), { mode: 0o755 })
    const storage = diskFiles(join(directory, 'files'))
    await storage.write('school/file', Readable.from([Buffer.from('words')], { objectMode: false }), {
      bytes: 5,
      contentType: 'text/plain',
    })
    const database = await openDatabase({ dataDirectory: directory })
    await database.close()
    expect([await mode('files'), await mode('files/school'), await mode('files/school/file')]).toEqual(['700', '700', '600'])
    expect(await mode('db')).toBe('700')
    const others = (await readdir(directory, { withFileTypes: true })).filter(
      (entry) => entry.isDirectory() && !['files', 'db'].includes(entry.name),
    )
    expect(others.map(({ name }) => name)).toEqual([])
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
})
