import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../../src/database/connection/database.ts'
import { openDatabase } from '../../src/database/connection/openDatabase.ts'
import { migrate, pendingMigrations } from '../../src/database/migrations/migrate.ts'
import { availableServices, throwawayPostgres } from '../support/databases.ts'
import { until } from '../support/poll.ts'

const { postgresql } = await availableServices()

let directory: string
let database: Database
let drop: () => Promise<void>
const write = async (name: string, text: string): Promise<void> => {
  await mkdir(join(directory, name), { recursive: true })
  await writeFile(join(directory, name, 'migration.sql'), text)
}
const indexes = (of = database) =>
  of.sql.query<{ name: string; valid: boolean }>(
    `SELECT indexrelid::regclass::text AS name, indisvalid AS valid FROM pg_index WHERE indrelid = 'thing'::regclass ORDER BY 1`,
  )
const build = 'CREATE UNIQUE INDEX CONCURRENTLY "thing_number" ON "thing" ("number");\n'

const embedded = async (): Promise<void> => {
  database = await openDatabase({ dataDirectory: '', memory: true })
  drop = () => database.close()
}
let url = ''
const onServer = async (): Promise<void> => {
  const server = await throwawayPostgres({ migrated: false })
  url = server.url
  database = await openDatabase({ databaseUrl: url, dataDirectory: tmpdir() })
  drop = async () => {
    await database.close()
    await server.drop()
  }
}
const prepare = async (): Promise<void> => {
  await database.sql.query('DROP SCHEMA public CASCADE')
  await database.sql.query('CREATE SCHEMA public')
  directory = await mkdtemp(join(tmpdir(), 'schoolgate-migrations-'))
  await write('1_thing', 'CREATE TABLE thing (number int, word text);\nINSERT INTO thing SELECT n FROM generate_series(1, 500) AS n;')
  await migrate(database, directory)
  await write('2_index', build)
}
beforeEach(prepare)
afterEach(() => rm(directory, { recursive: true, force: true }))

describe.each([{ name: 'embedded', open: embedded }, ...(postgresql ? [{ name: 'postgresql', open: onServer }] : [])])(
  'migrations outside of a transaction on the $name database',
  ({ open }) => {
    beforeAll(open)
    afterAll(() => drop())

    test('build an index next to requests, once', async () => {
      expect(await migrate(database, directory)).toEqual(['2_index'])
      expect(await indexes()).toEqual([{ name: 'thing_number', valid: true }])
      expect(await migrate(database, directory)).toEqual([])
    })

    test('that fail leave no invalid index behind, and are repeated after the repair', async () => {
      await database.sql.query('INSERT INTO thing VALUES (7)')
      await expect(migrate(database, directory)).rejects.toThrow(
        /^migration 2_index failed and left nothing behind: could not create unique/,
      )
      expect(await indexes()).toEqual([])
      await database.sql.query('DELETE FROM thing WHERE ctid = (SELECT max(ctid) FROM thing)')
      expect(await migrate(database, directory)).toEqual(['2_index'])
    })

    test('that were interrupted rebuild the invalid index', async () => {
      await database.sql.query('INSERT INTO thing VALUES (7)')
      // As an interrupted build does.
      await expect(database.alone(build)).rejects.toThrow('could not create unique index')
      expect(await indexes()).toEqual([{ name: 'thing_number', valid: false }])
      expect(await pendingMigrations(database, directory)).toEqual(['2_index'])
      await database.sql.query('DELETE FROM thing WHERE ctid = (SELECT max(ctid) FROM thing)')
      expect(await migrate(database, directory)).toEqual(['2_index'])
      expect(await indexes()).toEqual([{ name: 'thing_number', valid: true }])
    })

    test('that were complete before their record was written are not repeated', async () => {
      await migrate(database, directory)
      const [before] = await database.sql.query(`SELECT 'thing_number'::regclass::oid AS oid`)
      await database.sql.query(`DELETE FROM _prisma_migrations WHERE migration_name = '2_index'`)
      expect(await migrate(database, directory)).toEqual(['2_index'])
      expect(await database.sql.query(`SELECT 'thing_number'::regclass::oid AS oid`)).toEqual([before])
    })

    test('never take an index of another table for their own', async () => {
      await database.sql.query('CREATE TABLE other (number int)')
      await database.sql.query('CREATE INDEX thing_number ON other (number)')
      await expect(migrate(database, directory)).rejects.toThrow('index thing_number exists on table other: rename or drop it')
    })

    test('change rows in parts: what was committed before an interruption is not repeated', async () => {
      await migrate(database, directory)
      await write(
        '3_words',
        `DO $$ BEGIN
LOOP
  UPDATE thing SET word = 'w' || (1 / (450 - number))::text WHERE ctid IN (SELECT ctid FROM thing WHERE word IS NULL ORDER BY number LIMIT 100);
  EXIT WHEN NOT FOUND;
  COMMIT;
END LOOP;
END $$;\n`,
      )
      const done = async () =>
        (await database.sql.query<{ count: number }>('SELECT count(*)::int AS count FROM thing WHERE word IS NOT NULL'))[0]?.count
      await expect(migrate(database, directory)).rejects.toThrow('division by zero')
      expect(await done()).toBe(400)
      await database.sql.query('DELETE FROM thing WHERE number = 450')
      expect(await migrate(database, directory)).toEqual(['3_words'])
      expect(await done()).toBe(499)
    })
  },
)

describe.runIf(postgresql)('migrations on a server in use', () => {
  beforeAll(onServer)
  afterAll(() => drop())

  /** Holds a row of the table in a transaction of another session, which keeps an index from being complete. */
  const hold = async (other: Database) => {
    const gate = Promise.withResolvers<void>()
    const locked = Promise.withResolvers<void>()
    const held = other.script(async (script) => {
      await script.query(`UPDATE thing SET word = 'held' WHERE number = 1`)
      locked.resolve()
      await gate.promise
    })
    await locked.promise
    return async () => {
      gate.resolve()
      await held
    }
  }
  const another = () => openDatabase({ databaseUrl: url, dataDirectory: tmpdir() })

  test('an index waits for an old transaction, while rows are changed and other processes wait for their turn', async () => {
    const [other, waiting] = [await another(), await another()]
    const release = await hold(other)
    const both = [migrate(database, directory), migrate(waiting, directory)]
    await until(async () => (await indexes()).length === 1, { what: 'the build to begin' })
    expect(await indexes()).toEqual([{ name: 'thing_number', valid: false }])
    await database.sql.query(`UPDATE thing SET word = 'changed meanwhile' WHERE number = 2`)
    expect(await database.sql.query('SELECT word FROM thing WHERE number = 2')).toEqual([{ word: 'changed meanwhile' }])
    await release()
    expect((await Promise.all(both)).flat()).toEqual(['2_index'])
    expect(await indexes()).toEqual([{ name: 'thing_number', valid: true }])
    for (const one of [other, waiting]) await one.close()
  })

  test('a build whose session ends is repeated by the next start', async () => {
    const other = await another()
    const release = await hold(other)
    const building = migrate(database, directory).then(
      () => 'applied',
      (error: Error) => error.message,
    )
    await until(async () => (await indexes(other)).length === 1, { what: 'the build to begin' })
    await other.sql.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = $1`, [build])
    await release()
    expect(await building).toMatch(/^migration 2_index failed and left nothing behind: /)
    expect(await indexes(other)).toEqual([])
    expect(await migrate(other, directory)).toEqual(['2_index'])
    expect(await indexes(other)).toEqual([{ name: 'thing_number', valid: true }])
    await other.close()
  })

  test('a lock that is held is attempted in turns: requests for the same table pass in between', async () => {
    await migrate(database, directory)
    await write('3_column', 'ALTER TABLE thing ADD COLUMN colour text')
    const other = await another()
    let reads = 0
    let migrating: Promise<string[]> | undefined
    await other.script(async (script) => {
      await script.query('SELECT count(*) FROM thing')
      migrating = migrate(database, directory)
      const isQueued = `SELECT FROM pg_locks WHERE relation = 'thing'::regclass AND mode = 'AccessExclusiveLock' AND NOT granted`
      for (let round = 0; round < 3; round += 1) {
        await until(async () => (await script.query(isQueued)).length > 0, { what: 'the migration to wait' })
        // It has the limits of a request: two seconds for a lock.
        await database.lane('authorization').sql.query('SELECT count(*) FROM thing')
        reads += 1
      }
    })
    expect(await migrating).toEqual(['3_column'])
    expect(reads).toBe(3)
    await other.close()
  })

  test('a lock that is never free ends the migration with a reason, and it leaves nothing behind', async () => {
    await migrate(database, directory)
    await write('3_column', 'CREATE TABLE half (id int);\nALTER TABLE thing ADD COLUMN colour text')
    const other = await another()
    await other.script(async (script) => {
      await script.query('SELECT count(*) FROM thing')
      await expect(migrate(database, directory, { timeoutSeconds: 1 })).rejects.toThrow(
        /^migration 3_column failed and left nothing behind: .*Another session holds a lock: look for long transactions in pg_stat_activity/,
      )
    })
    expect(await database.sql.query(`SELECT to_regclass('half')::text AS half`)).toEqual([{ half: null }])
    await other.close()
  })
})
