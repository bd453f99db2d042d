import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { newId } from '../lib/ids.ts'
import type { Database, Script } from './database.ts'
import type { Sql } from './sql.ts'
import { migrationLockSeconds } from './timeLimit.ts'

/** The key by which Prisma Migrate keeps others out. Sharing it, the two never run at the same time. */
const migrateLock = 72707369

/** Called after each migration that was applied, with its name and how many of the missing ones are done. */
export type OnMigrated = (progress: { name: string; done: number; of: number }) => void

/**
 * Applies what the directory holds and the database lacks, oldest first, and answers the names of what it applied.
 *
 * Reads and writes the table of Prisma Migrate, so that `prisma migrate status` agrees. Each file is applied together with its
 * record or not at all. Any number of processes may start this concurrently.
 * @throws Error where the two histories do not fit: an edited file, an unfinished one, one that the directory does not know.
 */
export async function migrate(database: Database, directory: string, onMigrated?: OnMigrated): Promise<string[]> {
  const migrations = await readMigrations(directory)
  const applied: string[] = []
  // One transaction for each file. Others may come in between, hence the look at the table under every lock.
  for (;;) {
    const next = await database.script((script) => applyNext(script, migrations))
    if (next === undefined) return applied
    applied.push(next.name)
    onMigrated?.({ name: next.name, done: applied.length, of: applied.length + next.left })
  }
}

/** The names of what `migrate` would apply. */
export async function pendingMigrations(database: Database, directory: string): Promise<string[]> {
  const migrations = await readMigrations(directory)
  const [table] = await database.sql.query<{ name: string | null }>(`SELECT to_regclass('_prisma_migrations')::text AS name`)
  const records = table?.name ? await readRecords(database.sql) : []
  return missing(migrations, records).map(({ name }) => name)
}

interface Migration {
  name: string
  text: string
  checksum: string
}

interface MigrationRecord {
  migration_name: string
  checksum: string
  finished_at: Date | null
}

async function readMigrations(directory: string): Promise<Migration[]> {
  const entries = await readdir(directory, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  return await Promise.all(
    names.toSorted().map(async (name) => {
      const bytes = await readFile(join(directory, name, 'migration.sql'))
      return { name, text: bytes.toString('utf8'), checksum: createHash('sha256').update(bytes).digest('hex') }
    }),
  )
}

/** Returns the name of the migration that was applied and how many are left; undefined if none was missing. */
async function applyNext(script: Script, migrations: Migration[]): Promise<{ name: string; left: number } | undefined> {
  // Held to the end of the transaction.
  await script.query(`SELECT pg_advisory_xact_lock(${migrateLock})`)
  await script.runFile(recordTable)
  const [next, ...later] = missing(migrations, await readRecords(script))
  if (!next) return undefined
  await script.query(`SET LOCAL lock_timeout = '${migrationLockSeconds}s'`)
  try {
    await script.runFile(next.text)
  } catch (cause) {
    throw new Error(`migration ${next.name} failed and left nothing behind: ${cause instanceof Error ? cause.message : cause}`, { cause })
  }
  await script.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
     VALUES ($1, $2, $3, now(), clock_timestamp(), 1)`,
    [newId(), next.checksum, next.name],
  )
  return { name: next.name, left: later.length }
}

function readRecords(sql: Sql): Promise<MigrationRecord[]> {
  return sql.query<MigrationRecord>(
    `SELECT migration_name, checksum, finished_at FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY migration_name`,
  )
}

function missing(migrations: Migration[], records: MigrationRecord[]): Migration[] {
  const known = new Map(migrations.map((migration) => [migration.name, migration]))
  for (const { migration_name: name, checksum, finished_at } of records) {
    const migration = known.get(name)
    if (!migration) {
      throw new Error(
        `the database has migration ${name}, which this release does not know. Run the release that brought it, or a newer one`,
      )
    }
    if (finished_at === null) {
      throw new Error(
        `migration ${name} was begun and not finished. Repair the database, then run: prisma migrate resolve --applied ${name}`,
      )
    }
    if (migration.checksum !== checksum) {
      throw new Error(`migration ${name} was edited after it had been applied. Restore the file and put the change into a new migration`)
    }
  }
  const applied = new Set(records.map((record) => record.migration_name))
  return migrations.filter(({ name }) => !applied.has(name))
}

/** As Prisma Migrate makes it. */
const recordTable = `CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
    "id"                    VARCHAR(36) PRIMARY KEY NOT NULL,
    "checksum"              VARCHAR(64) NOT NULL,
    "finished_at"           TIMESTAMPTZ,
    "migration_name"        VARCHAR(255) NOT NULL,
    "logs"                  TEXT,
    "rolled_back_at"        TIMESTAMPTZ,
    "started_at"            TIMESTAMPTZ NOT NULL DEFAULT now(),
    "applied_steps_count"   INTEGER NOT NULL DEFAULT 0
)`
