import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fromPublicId } from '../../../src/base/ids.ts'
import { diskFiles, type FileStorage } from '../../../src/database/files/fileStorage.ts'
import { cleanStoredPicture } from '../../../src/school/files/jobs/cleanStoredPicture.ts'
import { databasesToTest } from '../../support/databases.ts'
import { duringTests } from '../../support/duringTests.ts'
import { phoneJpeg, phonePng } from '../../support/pictures.ts'
import { learner, owner, request, type StorageService, sha256, startStorage } from './storageService.ts'

describe.each(await databasesToTest())('metadata of pictures, on $name', ({ open }) => {
  let service: StorageService
  let storage: FileStorage
  let directory: string
  const opened = duringTests(open)
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'pictures-'))
    storage = diskFiles(directory)
    service = await startStorage({ database: opened.database, storage })
  })
  afterAll(async () => {
    await service.stop()
    await rm(directory, { recursive: true })
  })

  const jpeg = phoneJpeg(6)
  const picture = { bytes: jpeg, name: 'garden.jpg', type: 'image/jpeg' }

  test('a public picture is stored without it, and the answer names what was removed', async () => {
    for (const file of [
      await service.form(learner, { purpose: 'avatar' }, picture),
      await service.form(owner, { purpose: 'attachment', visibility: 'public' }, picture),
      await service.bring(owner, jpeg, {
        ...{ filename: 'garden.jpg', content_type: 'image/jpeg', purpose: 'image' },
        checksum_sha256: sha256(jpeg),
      }),
    ]) {
      const removed = ['author', 'camera', 'comment', 'gps', 'iptc', 'other', 'xmp']
      expect(file.json).toMatchObject({ metadata_removed: removed, width: 2, height: 3, visibility: 'public' })
      const { bytes } = await request(file.json.url)
      expect(bytes.includes('SECRET')).toBe(false)
      expect(file.json).toMatchObject({ byte_size: bytes.length, checksum_sha256: sha256(bytes) })
    }
  })

  test('a private file keeps its bytes', async () => {
    const file = await service.form(owner, { purpose: 'attachment' }, picture)
    expect(file.json).toMatchObject({ metadata_removed: null, byte_size: jpeg.length, checksum_sha256: sha256(jpeg), width: 2, height: 3 })
  })

  test('the job cleans pictures that were stored before, which keep their ids and URLs and get another ETag', async () => {
    const { database } = service
    const png = phonePng(8)
    const file = (await service.form(owner, { purpose: 'image' }, { bytes: png, name: 'kiln.png', type: 'image/png' })).json
    const id = fromPublicId('fil', file.id)
    const [{ storage_key } = { storage_key: '' }] = await database.sql.query<{ storage_key: string }>(
      'SELECT storage_key FROM file WHERE id = $1',
      [id],
    )
    await storage.write(storage_key, Readable.from([png]), { bytes: png.length, contentType: 'image/png' })
    const before = 'UPDATE file SET metadata_removed = NULL, bytes = $2, checksum_sha256 = $3, width = 3, height = 2 WHERE id = $1'
    await database.sql.query(before, [id, png.length, sha256(png)])
    const old = await request(file.url)
    expect(old.bytes.includes('SECRET')).toBe(true)
    while (await cleanStoredPicture({ database, storage }));
    const cleaned = await request(file.url)
    expect(cleaned.bytes.includes('SECRET')).toBe(false)
    expect(cleaned.headers.get('etag')).not.toBe(old.headers.get('etag'))
    const now = (await service.call(owner, `storage/files/${file.id}`)).json
    expect(now).toMatchObject({ id: file.id, url: file.url, byte_size: cleaned.bytes.length, checksum_sha256: sha256(cleaned.bytes) })
    expect(now).toMatchObject({ width: 2, height: 3, metadata_removed: expect.arrayContaining(['gps']) })
    expect(await database.sql.query('SELECT storage_key FROM file_removal WHERE storage_key = $1', [storage_key])).toHaveLength(1)
  })

  test('the job passes over a picture whose bytes are missing', async () => {
    const { database } = service
    const file = (await service.form(owner, { purpose: 'image' }, picture)).json
    const id = fromPublicId('fil', file.id)
    const [{ storage_key } = { storage_key: '' }] = await database.sql.query<{ storage_key: string }>(
      'UPDATE file SET metadata_removed = NULL WHERE id = $1 RETURNING storage_key',
      [id],
    )
    await storage.remove(storage_key)
    expect(await cleanStoredPicture({ database, storage })).toBe(true)
    expect(await cleanStoredPicture({ database, storage })).toBe(false)
  })
})
