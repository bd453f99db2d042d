import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  acceptStorage,
  diskFiles,
  type FileStorage,
  isOwnStorage,
  requireOwnStorage,
  WrongStorage,
} from '../../src/database/files/fileStorage.ts'
import { everyDatabase } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'

describe.each(await everyDatabase())('the storage of a database: $name', ({ open }) => {
  const opened = duringTests(open)
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'schoolgate-storages-'))
  })
  afterAll(async () => {
    await rm(folder, { recursive: true })
  })
  let count = 0
  const newStorage = (): { storage: FileStorage; directory: string; id(): Promise<string> } => {
    count += 1
    const directory = join(folder, `files-${count}`)
    return { storage: diskFiles(directory), directory, id: () => readFile(join(directory, 'storage-id'), 'utf8') }
  }
  const storedId = async (): Promise<string | null> =>
    (await opened.database.kysely.selectFrom('installation').select('storage_id').executeTakeFirstOrThrow()).storage_id
  beforeEach(() => opened.database.kysely.updateTable('installation').set({ storage_id: null }).execute())

  test('is the one of the first process, and the others must have the same', async () => {
    const [own, other] = [newStorage(), newStorage()]
    await requireOwnStorage(opened.database, own.storage)
    expect(await own.id()).toBe(await storedId())
    await requireOwnStorage(opened.database, own.storage)
    const refused = requireOwnStorage(opened.database, other.storage)
    await expect(refused).rejects.toThrow(WrongStorage)
    await expect(refused).rejects.toThrow(
      `files are stored in ${other.directory}, which are not the files of this database: the file storage-id is missing there. Set STORAGE_URL or DATA_DIR`,
    )
    await expect(other.id(), 'nothing was written there').rejects.toThrow('ENOENT')
  })

  test('is one of two when two processes with different ones start together', async () => {
    const [left, right] = [newStorage(), newStorage()]
    const outcomes = await Promise.allSettled([left, right].map(({ storage }) => requireOwnStorage(opened.database, storage)))
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const winner = outcomes[0]?.status === 'fulfilled' ? left : right
    expect(await winner.id()).toBe(await storedId())
  })

  test('has one id when processes that share it start together', async () => {
    const { storage, id } = newStorage()
    await Promise.all(Array.from({ length: 5 }, () => requireOwnStorage(opened.database, storage)))
    expect(await id()).toBe(await storedId())
  })

  test('keeps the id of an earlier start that ended before the database had it', async () => {
    const [first, copy] = [newStorage(), newStorage()]
    await requireOwnStorage(opened.database, first.storage)
    const before = await first.id()
    await opened.database.kysely.updateTable('installation').set({ storage_id: null }).execute()
    await requireOwnStorage(opened.database, first.storage)
    expect(await storedId()).toBe(before)
    await requireOwnStorage(opened.database, copy.storage).catch(() => undefined)
    expect(await storedId()).toBe(before)
  })

  test('is refused with the files of another database, however long the text there is', async () => {
    const [own, other] = [newStorage(), newStorage()]
    await requireOwnStorage(opened.database, own.storage)
    await acceptStorage(opened.database, other.storage)
    await writeFile(join(other.directory, 'storage-id'), 'x'.repeat(100_000))
    await expect(requireOwnStorage(opened.database, other.storage)).rejects.toThrow('they belong to another database')
  })

  test('can be replaced by the operator: an empty one gets the id, and one with an id keeps it', async () => {
    const [old, moved, foreign] = [newStorage(), newStorage(), newStorage()]
    await requireOwnStorage(opened.database, old.storage)
    const id = await storedId()
    expect(await acceptStorage(opened.database, moved.storage)).toBe(true)
    expect([await moved.id(), await storedId()]).toEqual([id, id])
    expect(await acceptStorage(opened.database, moved.storage), 'a second time').toBe(false)

    await foreign.storage.check()
    await writeFile(join(foreign.directory, 'storage-id'), '0190f2d4-0000-7000-8000-000000000001')
    expect(await acceptStorage(opened.database, foreign.storage)).toBe(true)
    expect([await foreign.id(), await storedId()]).toEqual(Array(2).fill('0190f2d4-0000-7000-8000-000000000001'))
    await expect(isOwnStorage(opened.database, old.storage)).rejects.toThrow(WrongStorage)
  })

  test('is not recorded by a comparison that only reads', async () => {
    const { storage, id } = newStorage()
    expect(await isOwnStorage(opened.database, storage)).toBe(false)
    expect(await storedId()).toBe(null)
    await expect(id()).rejects.toThrow('ENOENT')
  })
})
