import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PersonCaller } from '../../src/base/caller.ts'
import { newId, toPublicId } from '../../src/base/ids.ts'
import { createKeyring } from '../../src/base/keyring.ts'
import type { School } from '../../src/base/school.ts'
import type { Database } from '../../src/database/connection/database.ts'
import { openDatabase } from '../../src/database/connection/openDatabase.ts'
import { migrate } from '../../src/database/migrations/migrate.ts'
import { inSchool, schoolDatabase } from '../../src/database/school/inSchool.ts'
import { beginChangeEpoch, recordChange } from '../../src/database/tables/changeLog.ts'
import { answerChanges, changeFeedOf } from '../../src/engine/output/changeFeed.ts'
import { listFingerprint, seal } from '../../src/engine/read/cursor.ts'
import { operationsIn, resources } from '../../src/school/index.ts'
import { type Cluster, postgresPrograms, startCluster } from '../support/cluster.ts'
import { migrationsDirectory, throwawayPostgres, unpackEmbedded } from '../support/databases.ts'
import { until } from '../support/poll.ts'
import { newSchool } from '../support/rows.ts'

const keyring = createKeyring(['a root secret for tests, long enough to be taken'])
const signer = {
  sign: (text: string) => keyring.sign('cursors', text),
  verify: (text: string, signature: string) => keyring.verify('cursors', text, signature),
}
const feed = changeFeedOf(operationsIn(resources))
const owner: PersonCaller = {
  kind: 'person',
  accountId: newId(),
  personId: null,
  lecturerId: null,
  role: 'owner',
  scopes: new Set(['courses:read']),
  clientId: 'consumer',
  grantId: 'grant',
}

/** Records a change of a new row in a separate transaction; returns the row's public id. */
async function change(database: Database, { id }: School): Promise<string> {
  const resourceId = newId()
  await database.transaction(async (writer) => {
    await recordChange(inSchool(writer, id), { type: 'course', resource_id: resourceId, action: 'created', version: 1 })
  })
  return toPublicId('crs', resourceId)
}

interface Page {
  data: { resource: { id: string } }[]
  page: { next_cursor: string; has_more: boolean }
}

/** A program that reads the feed and keeps its cursor, as an integration does. */
function consumerOf(school: School, cursor?: string) {
  const seen: string[] = []
  let position = cursor
  const read = async (store: Database): Promise<void> => {
    for (;;) {
      const parameters = { types: 'course', limit: '2', ...(position !== undefined && { cursor: position }) }
      const { body } = await answerChanges(feed, owner, () => parameters, {
        store: schoolDatabase(store, school.id, 'person'),
        school,
        signer,
      })
      const { data, page } = body as unknown as Page
      seen.push(...data.map(({ resource }) => resource.id))
      position = page.next_cursor
      if (!page.has_more) return
    }
  }
  return {
    seen,
    read,
    /** Reads until the given number of changes has arrived. Open transactions on the server can delay some of them. */
    readUntil: (store: Database, count: number) =>
      until(() => read(store).then(() => seen.length >= count), { what: `${count} changes in the feed` }),
  }
}

const schoolOf = (id: string): School => ({ id, slug: `school-${id}`, issuer: 'https://school.example.com' })
const programs = await postgresPrograms()
const run = promisify(execFile)

describe.runIf(programs !== undefined)('the change feed of a database that is restored into another server', () => {
  let old: { url: string; drop(): Promise<void> }
  let before: Database
  let cluster: Cluster
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'schoolgate-dump-'))
    ;[old, cluster] = await Promise.all([throwawayPostgres(), startCluster(programs as string)])
    before = await openDatabase({ databaseUrl: old.url, dataDirectory: folder, poolSize: 2 })
  })
  afterAll(async () => {
    await before?.close()
    await Promise.all([old?.drop(), cluster?.stop(), rm(folder, { recursive: true, force: true })])
  })

  const open = (name: string) => openDatabase({ databaseUrl: cluster.url(name), dataDirectory: folder, poolSize: 2 })

  /** The commands of docs/deploy.md. */
  async function dump(): Promise<string> {
    const file = join(folder, `${newId()}.dump`)
    await run(join(programs as string, 'pg_dump'), ['--format=custom', `--file=${file}`, old.url])
    return file
  }
  async function restore(file: string): Promise<Database> {
    const name = `restored_${newId().replaceAll('-', '')}`
    await run(join(programs as string, 'createdb'), [`--maintenance-db=${cluster.url()}`, name])
    await run(join(programs as string, 'pg_restore'), ['--no-owner', '--exit-on-error', `--dbname=${cluster.url(name)}`, file])
    const restored = await open(name)
    expect(await migrate(restored, migrationsDirectory)).toEqual([])
    return restored
  }

  test('a consumer sees every change exactly once and in order, before and after, wherever it stopped', async () => {
    const school = schoolOf(await newSchool(before.sql))
    const consumer = consumerOf(school)
    const first = [await change(before, school), await change(before, school)]
    await consumer.readUntil(before, 2)
    const unread = [await change(before, school), await change(before, school), await change(before, school)]
    const ahead = consumerOf(school)
    await ahead.readUntil(before, 5)
    const restored = await restore(await dump())
    try {
      // The new server has seen fewer transactions than the stored changes: their numbers cannot be compared.
      const [{ isBehind } = { isBehind: false }] = await restored.sql.query<{ isBehind: boolean }>(
        'SELECT max(transaction) > pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS "isBehind" FROM change_log',
      )
      expect(isBehind).toBe(true)
      await consumer.read(restored)
      expect(consumer.seen).toEqual([...first, ...unread])
      const enqueue = [await change(restored, school), await change(restored, school)]
      await Promise.all([consumer.read(restored), ahead.read(restored)])
      expect(consumer.seen).toEqual([...first, ...unread, ...enqueue])
      expect(ahead.seen).toEqual(consumer.seen)
      const fresh = consumerOf(school)
      await fresh.read(restored)
      expect(fresh.seen).toEqual(consumer.seen)
      const latest = consumerOf(school, 'latest')
      await latest.read(restored)
      const last = await change(restored, school)
      await latest.read(restored)
      expect(latest.seen).toEqual([last])
    } finally {
      await restored.close()
    }
  })

  test('a consumer that read beyond the backup sees every change made after the restore', async () => {
    const school = schoolOf(await newSchool(before.sql))
    const consumer = consumerOf(school)
    const kept = await change(before, school)
    const backup = await dump()
    const lost = await change(before, school)
    await consumer.readUntil(before, 2)
    const restored = await restore(backup)
    try {
      await consumer.read(restored)
      const later = [await change(restored, school), await change(restored, school)]
      await consumer.read(restored)
      expect(consumer.seen).toEqual([kept, lost, ...later])
    } finally {
      await restored.close()
    }
  })

  test('a restart of the server skips and repeats nothing, and a transaction that commits late is read late', async () => {
    await run(join(programs as string, 'createdb'), [`--maintenance-db=${cluster.url()}`, 'restarted'])
    const first = await open('restarted')
    await migrate(first, migrationsDirectory)
    const school = schoolOf(await newSchool(first.sql))
    const consumer = consumerOf(school, 'latest')
    await consumer.read(first)
    const expected = [await change(first, school)]
    await consumer.read(first)
    await first.close()
    await cluster.restart()
    const [reader, writer] = [await open('restarted'), await open('restarted')]
    try {
      await beginChangeEpoch(reader.kysely)
      await writer.transaction(async (inside) => {
        const slow = newId()
        await recordChange(inSchool(inside, school.id), { type: 'course', resource_id: slow, action: 'created', version: 1 })
        expected.push(toPublicId('crs', slow), await change(reader, school))
        await consumer.read(reader)
        expect(consumer.seen).toEqual(expected.slice(0, 1))
      })
      await consumer.read(reader)
      expect(consumer.seen).toEqual(expected)
    } finally {
      await Promise.all([reader.close(), writer.close()])
    }
  })

  test('a server that was set back to an earlier state answers cursor_expired to a position that it has not reached', async () => {
    const school = schoolOf(await newSchool(before.sql))
    await change(before, school)
    const fingerprint = listFingerprint(['changes', school.id, ['course']])
    for (const [transaction, epoch] of [
      ['9000000000000', await latestEpoch(before)],
      ['1', `${Number(await latestEpoch(before)) + 1}`],
    ]) {
      const consumer = consumerOf(school, seal(signer, [fingerprint, transaction, newId(), Date.now(), epoch]))
      const answer = await consumer.read(before).catch((error: unknown) => error)
      expect(answer).toMatchObject({ code: 'cursor_expired', status: 410 })
    }
    const again = consumerOf(school)
    await again.readUntil(before, 1)
  })
})

const latestEpoch = async ({ sql }: Database): Promise<string> =>
  (await sql.query<{ epoch: string }>('SELECT current_change_epoch()::text AS epoch'))[0]?.epoch ?? ''

describe('the change feed of an embedded database', () => {
  test('a consumer goes on where it was after its directory is replaced by a backup', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'schoolgate-feed-'))
    const [current, backup] = [join(folder, 'current'), join(folder, 'backup')]
    try {
      await unpackEmbedded(current)
      const first = await openDatabase({ dataDirectory: current })
      const school = schoolOf(await newSchool(first.sql))
      const consumer = consumerOf(school)
      const kept = await change(first, school)
      await first.close()
      await cp(current, backup, { recursive: true })
      const second = await openDatabase({ dataDirectory: current })
      const lost = [await change(second, school), await change(second, school)]
      await consumer.read(second)
      await second.close()
      const restored = await openDatabase({ dataDirectory: backup })
      await consumer.read(restored)
      const later = await change(restored, school)
      await consumer.read(restored)
      expect(consumer.seen).toEqual([kept, ...lost, later])
      await restored.close()
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})
