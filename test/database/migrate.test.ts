import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { PrismaPg } from '@prisma/adapter-pg'
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils'
import { SchemaEngine } from '@prisma/schema-engine-wasm'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../../src/database/connection/database.ts'
import { openDatabase } from '../../src/database/connection/openDatabase.ts'
import { migrate, migrationHistory, pendingMigrations } from '../../src/database/migrations/migrate.ts'
import { availableServices, migrationsDirectory, throwawayPostgres } from '../support/databases.ts'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '../..')
const { postgresql } = await availableServices()

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'schoolgate-migrations-'))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

async function write(name: string, text: string): Promise<void> {
  await mkdir(join(directory, name), { recursive: true })
  await writeFile(join(directory, name, 'migration.sql'), text)
}

const embedded = async () => {
  const database = await openDatabase({ dataDirectory: '', memory: true })
  return { database, drop: () => database.close() }
}
const onServer = async () => {
  const { url, drop } = await throwawayPostgres({ migrated: false })
  const database = await openDatabase({ databaseUrl: url, dataDirectory: tmpdir() })
  return { database, drop: () => database.close().then(drop) }
}

describe.each([{ name: 'embedded', open: embedded }, ...(postgresql ? [{ name: 'postgresql', open: onServer }] : [])])(
  'migrations of the $name database',
  ({ open }) => {
    let database: Database
    let drop: () => Promise<void>
    beforeAll(async () => {
      ;({ database, drop } = await open())
    })
    beforeEach(async () => {
      await database.sql.query('DROP SCHEMA public CASCADE')
      await database.sql.query('CREATE SCHEMA public')
      await write('1_first', `-- A comment; with a semicolon\nCREATE TABLE first (id int);\nINSERT INTO first VALUES (1);`)
      await write(
        '2_second',
        `CREATE FUNCTION twice(n int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN n * 2; END $$;\nALTER TABLE first ADD COLUMN name text;`,
      )
      await writeFile(join(directory, 'migration_lock.toml'), 'provider = "postgresql"\n')
    })
    afterAll(() => drop())
    const records = () => database.sql.query('SELECT migration_name FROM _prisma_migrations ORDER BY started_at')

    test('are applied in order, once, and then nothing is pending', async () => {
      expect(await pendingMigrations(database, directory)).toEqual(['1_first', '2_second'])
      expect(await migrate(database, directory)).toEqual(['1_first', '2_second'])
      expect(await pendingMigrations(database, directory)).toEqual([])
      expect(await migrate(database, directory)).toEqual([])
      expect(await database.sql.query('SELECT twice(id) AS two, name FROM first')).toEqual([{ two: 2, name: null }])
      await write('3_third', 'DROP FUNCTION twice')
      expect(await migrate(database, directory)).toEqual(['3_third'])
    })

    test('that fail leave nothing behind and are named; earlier ones stay, and the corrected file is applied', async () => {
      await write('2_second', 'CREATE TABLE half (id int);\nSELECT 1 / 0;')
      await expect(migrate(database, directory)).rejects.toThrow(/^migration 2_second failed and left nothing behind: .*division by zero/)
      expect(await database.sql.query(`SELECT to_regclass('half')::text AS half`)).toEqual([{ half: null }])
      expect(await records()).toEqual([{ migration_name: '1_first' }])
      await write('2_second', 'CREATE TABLE half (id int)')
      expect(await migrate(database, directory)).toEqual(['2_second'])
    })

    test('edited after they had been applied are rejected', async () => {
      await migrate(database, directory)
      await write('1_first', 'CREATE TABLE first (id int)')
      await expect(migrate(database, directory)).rejects.toThrow('migration 1_first was edited after it had been applied')
      await expect(pendingMigrations(database, directory)).rejects.toThrow('edited')
    })

    /** Applies a migration that this release then does not know. */
    const applyNewer = async (header: string): Promise<void> => {
      await write('3_newer', `${header}CREATE TABLE newer (id int)`)
      await migrate(database, directory)
      await rm(join(directory, '3_newer'), { recursive: true })
    }

    test('of a newer release are accepted if they state that releases from this one on work with them', async () => {
      for (const from of ['1_first', '2_second']) {
        await applyNewer(`-- Works with releases from: ${from}\n-- Locks: none\n`)
        expect(await pendingMigrations(database, directory)).toEqual([])
        expect((await migrationHistory(database, directory)).newer).toEqual(['3_newer'])
        expect(await migrate(database, directory)).toEqual([])
        await database.sql.query(`DELETE FROM _prisma_migrations WHERE migration_name = '3_newer'`)
        await database.sql.query('DROP TABLE newer')
      }
    })

    test.each([
      ['state nothing', '', 'the database has migration 3_newer, with which no earlier release works. Run the release that brought it'],
      ['need their own release', '-- Works with releases from: this\n-- Locks: none\n', '3_newer, with which no earlier release works'],
      [
        'need another release',
        '-- Works with releases from: 2b_unknown\n-- Locks: none\n',
        '3_newer, with which only releases from 2b_unknown on work, and this release is older',
      ],
    ])('of a newer release that %s are rejected', async (_name, header, reason) => {
      await applyNewer(header)
      await expect(migrate(database, directory)).rejects.toThrow(reason)
      await expect(pendingMigrations(database, directory)).rejects.toThrow(reason)
    })

    test('are not applied to a database of a newer release that lacks them', async () => {
      await applyNewer('-- Works with releases from: 2_second\n-- Locks: none\n')
      await write('2a_mine', 'CREATE TABLE mine (id int)')
      const reason = 'the database has migrations of a newer release (3_newer) and lacks 2a_mine. Run the newer release'
      await expect(migrate(database, directory)).rejects.toThrow(reason)
      await expect(pendingMigrations(database, directory)).rejects.toThrow(reason)
      expect(await database.sql.query(`SELECT to_regclass('mine')::text AS mine`)).toEqual([{ mine: null }])
    })

    test('are recorded with what they state, also after Prisma Migrate or an earlier release has applied them', async () => {
      await write('3_newer', '-- Works with releases from: 2_second\n-- Locks: none\nCREATE TABLE newer (id int)')
      await migrate(database, directory)
      await database.sql.query('ALTER TABLE _prisma_migrations DROP COLUMN works_from')
      expect(await pendingMigrations(database, directory)).toEqual([])
      expect(await migrate(database, directory)).toEqual([])
      await rm(join(directory, '3_newer'), { recursive: true })
      expect(await pendingMigrations(database, directory)).toEqual([])
    })

    test('begun and not finished are rejected; those that were rolled back do not count', async () => {
      await migrate(database, directory)
      await database.sql.query(`UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name = '2_second'`)
      await expect(migrate(database, directory)).rejects.toThrow('migration 2_second was begun and not finished')
      await database.sql.query(`UPDATE _prisma_migrations SET rolled_back_at = now() WHERE migration_name = '2_second'`)
      await database.sql.query('DROP FUNCTION twice')
      await database.sql.query('ALTER TABLE first DROP COLUMN name')
      expect(await migrate(database, directory)).toEqual(['2_second'])
    })

    test('bind each row to its school', async () => {
      await migrate(database, migrationsDirectory)
      const school = (id: string) =>
        `INSERT INTO school (id, slug, name, locale, time_zone, currency) VALUES ('${id}', '${id}', 'n', 'en', 'UTC', 'EUR')`
      const [mine, theirs] = ['0191a0c0-0000-7000-8000-000000000001', '0191a0c0-0000-7000-8000-000000000002']
      for (const id of [mine, theirs]) await database.sql.query(school(id as string))
      await database.sql.query(`INSERT INTO account (school_id, id, email, name) VALUES ('${mine}', '${mine}', 'a@example.test', 'A')`)
      const person = (of: string | undefined) =>
        database.sql.query(
          `INSERT INTO person (school_id, id, account_id, email, name) VALUES ('${of}', '${of}', '${mine}', 'a@example.test', 'A')`,
        )
      await expect(person(theirs)).rejects.toMatchObject({ code: '23503' })
      await person(mine)
      await expect(database.sql.query(`DELETE FROM account`)).rejects.toThrow()
      await expect(database.sql.query(`DELETE FROM school WHERE id = '${mine}'`)).rejects.toThrow()
    })
  },
)

describe.runIf(postgresql)('migrations on a server', () => {
  test('are applied exactly once by four concurrent processes', async () => {
    const { url, drop } = await throwawayPostgres({ migrated: false })
    const migrator = join(import.meta.dirname, 'migrator.ts')
    await write('2_more', 'CREATE TABLE more (id int)')
    await cp(migrationsDirectory, directory, { recursive: true })
    const results = await Promise.all(Array.from({ length: 4 }, () => run(process.execPath, [migrator, url, directory])))
    const applied = results.flatMap(({ stdout }) => JSON.parse(stdout) as string[])
    const names = (await readdir(directory, { withFileTypes: true })).filter((entry) => entry.isDirectory()).map(({ name }) => name)
    expect(applied.toSorted()).toEqual(names.toSorted())
    await drop()
  })

  test('are up to date for Prisma Migrate when this runner applied them, and the other way round', async () => {
    for (const first of ['runner', 'engine'] as const) {
      const { url, drop } = await throwawayPostgres({ migrated: false })
      const database = await openDatabase({ databaseUrl: url, dataDirectory: tmpdir() })
      const engine = await SchemaEngine.new(
        { datamodels: undefined },
        () => {},
        bindMigrationAwareSqlAdapterFactory(sendingWholeScripts(url)),
      )
      const migrationsList = await listForEngine()
      const filters = { externalTables: [], externalEnums: [] }
      const names = migrationsList.migrationDirectories.map(({ path }) => path)
      if (first === 'runner') expect(await migrate(database, migrationsDirectory)).toEqual(names)
      else expect(await engine.applyMigrations({ migrationsList, filters })).toEqual({ appliedMigrationNames: names })
      expect(await engine.diagnoseMigrationHistory({ migrationsList, optInToShadowDatabase: false, filters })).toMatchObject({
        editedMigrationNames: [],
        failedMigrationNames: [],
        hasMigrationsTable: true,
        history: null,
      })
      expect(await pendingMigrations(database, migrationsDirectory)).toEqual([])
      await database.close()
      await drop()
    }
  })

  async function listForEngine() {
    const names = (await readdir(migrationsDirectory, { withFileTypes: true }))
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
    return {
      baseDir: migrationsDirectory,
      shadowDbInitScript: '',
      lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"' },
      migrationDirectories: await Promise.all(
        names.toSorted().map(async (path) => ({
          path,
          migrationFile: {
            path: 'migration.sql',
            content: { tag: 'ok' as const, value: await readFile(join(migrationsDirectory, path, 'migration.sql'), 'utf8') },
          },
        })),
      ),
    }
  }
})

describe('the drift check', () => {
  const check = (folder: string) => run(process.execPath, [join(folder, 'scripts/makeMigration.ts'), '--check'])

  test('finds nothing: the migrations lead to the schema', async () => {
    await expect(check(root)).resolves.toMatchObject({ stdout: '' })
  })

  test('finds a column that no migration makes and prints the statement', async () => {
    for (const folder of ['prisma', 'scripts', 'src/database/migrations'])
      await cp(join(root, folder), join(directory, folder), { recursive: true })
    for (const folder of ['node_modules', 'src/gen']) await symlink(join(root, folder), join(directory, folder))
    const file = join(directory, 'prisma/schema.prisma')
    await writeFile(file, (await readFile(file, 'utf8')).replace('model course {', 'model course {\n  planted String?'))
    await expect(check(directory)).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('ADD COLUMN     "planted" TEXT') })
  })
})

/** The adapter divides scripts at every semicolon, those inside a function included. PostgreSQL takes a script as a whole. */
function sendingWholeScripts(url: string): PrismaPg {
  const factory = new PrismaPg(url)
  const connect = factory.connect.bind(factory)
  factory.connect = async () => {
    const adapter = await connect()
    adapter.executeScript = async (script) => void (await adapter.underlyingDriver().query(script))
    return adapter
  }
  return factory
}
