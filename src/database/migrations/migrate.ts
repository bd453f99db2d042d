import { setTimeout as delay } from 'node:timers/promises'
import { newId } from '../../base/ids.ts'
import { errorCode } from '../../base/log/errorCode.ts'
import type { Database, Script } from '../connection/database.ts'
import { migrationLockMilliseconds, migrationTimeoutSeconds } from '../connection/timeLimit.ts'
import { runAlone } from './aloneMigration.ts'
import { type Migration, readMigrations } from './migrationFiles.ts'
import { compareHistory, type MigrationHistory, readRecords } from './migrationHistory.ts'

/** The key by which Prisma Migrate keeps others out. Sharing it, the two never run at the same time. */
const migrateLock = 72707369

/** Called after each migration that was applied, with its name and how many of the missing ones are done. */
export type OnMigrated = (progress: { name: string; done: number; of: number }) => void

export interface MigrateOptions {
  onMigrated?: OnMigrated | undefined
  /** Applies the missing migrations as far as this is true, and stops before the first other one. */
  mayApply?: (name: string) => boolean
  /** How long one migration is attempted while sessions hold locks that it needs. */
  timeoutSeconds?: number
}

/**
 * Applies the migrations that the directory has and the database lacks, oldest first, and returns their names.
 *
 * Reads and writes the table of Prisma Migrate, so that `prisma migrate status` agrees. A file is applied together with its record or not
 * at all; one that cannot run in a transaction is repeated if it was interrupted. Any number of processes may start this concurrently:
 * one of them works, the others wait.
 * @throws Error if the histories do not fit, as `compareHistory` describes
 */
export async function migrate(database: Database, directory: string, options: MigrateOptions = {}): Promise<string[]> {
  const migrations = await readMigrations(directory)
  for (;;) {
    const result = await database.exclusively(migrateLock, async () => ({ applied: await applyMissing(database, migrations, options) }))
    if (result) return result.applied
    // Not a wait for the lock inside of the database: its snapshot would keep an index from being built.
    await delay(lockPollMs)
  }
}

export async function migrationHistory(database: Database, directory: string): Promise<MigrationHistory> {
  return compareHistory(await readMigrations(directory), await readRecords(database.sql))
}

/** The names of what `migrate` would apply. */
export async function pendingMigrations(database: Database, directory: string): Promise<string[]> {
  return (await migrationHistory(database, directory)).missing.map(({ name }) => name)
}

const lockPollMs = 200

async function applyMissing(
  database: Database,
  migrations: readonly Migration[],
  { onMigrated, mayApply = () => true, timeoutSeconds = migrationTimeoutSeconds }: MigrateOptions,
): Promise<string[]> {
  await patiently(timeoutSeconds, () => database.script((script) => prepareRecords(script, migrations)))
  const { missing } = compareHistory(migrations, await readRecords(database.sql))
  const applied: string[] = []
  for (const migration of missing) {
    if (!mayApply(migration.name)) break
    try {
      await patiently(timeoutSeconds, () => (migration.isAlone ? applyAlone(database, migration) : applyWhole(database, migration)))
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      throw new Error(`migration ${migration.name} failed and left nothing behind: ${reason}${isLocked(cause) ? lockAdvice : ''}`, {
        cause,
      })
    }
    applied.push(migration.name)
    onMigrated?.({ name: migration.name, done: applied.length, of: missing.length })
  }
  return applied
}

/**
 * Repeats work that does not get a lock in time. Requests that need the same table wait behind it, so it waits for less than they do, and
 * lets them pass in between.
 */
async function patiently(seconds: number, work: () => Promise<void>): Promise<void> {
  const deadline = performance.now() + seconds * 1000
  for (let pauseMs = 250; ; pauseMs = Math.min(pauseMs * 2, 4000)) {
    try {
      await work()
      return
    } catch (error) {
      if (!isLocked(error) || performance.now() + pauseMs > deadline) throw error
      await delay(pauseMs)
    }
  }
}

/** A lock that was not available in time, or a deadlock. */
const isLocked = (error: unknown): boolean => error instanceof Error && ['55P03', '40P01'].includes(errorCode(error) ?? '')

const lockAdvice = '. Another session holds a lock: look for long transactions in pg_stat_activity, then repeat the command'

async function applyWhole(database: Database, migration: Migration): Promise<void> {
  await database.script(async (script) => {
    await limitLocks(script)
    await script.runFile(migration.text)
    await record(script, migration)
  })
}

async function applyAlone(database: Database, migration: Migration): Promise<void> {
  await runAlone(database, migration)
  await database.script((script) => record(script, migration))
}

async function limitLocks(script: Script): Promise<void> {
  await script.query(`SET LOCAL lock_timeout = '${migrationLockMilliseconds}ms'`)
}

async function record(script: Script, { name, checksum, header }: Migration): Promise<void> {
  await script.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count, works_from)
     VALUES ($1, $2, $3, now(), clock_timestamp(), 1, $4)`,
    [newId(), checksum, name, worksFrom(name, header)],
  )
}

const worksFrom = (name: string, header: Migration['header']): string | null => {
  const stated = header?.worksFrom
  return stated === undefined ? null : stated === 'this' ? name : stated
}

/** Creates the table of Prisma Migrate and our column, and completes records that Prisma Migrate wrote. */
async function prepareRecords(script: Script, migrations: readonly Migration[]): Promise<void> {
  await limitLocks(script)
  await script.runFile(recordTable)
  const [column] = await script.query(
    `SELECT FROM pg_attribute WHERE attrelid = '_prisma_migrations'::regclass AND attname = 'works_from' AND NOT attisdropped`,
  )
  // Only then: the statement waits for everybody who reads the table.
  if (!column) await script.runFile('ALTER TABLE _prisma_migrations ADD COLUMN works_from VARCHAR(255)')
  const stated = migrations.flatMap(({ name, header }) =>
    header?.worksFrom === undefined ? [] : [{ name, from: worksFrom(name, header) }],
  )
  await script.query(
    `UPDATE _prisma_migrations SET works_from = stated.works_from
       FROM unnest($1::text[], $2::text[]) AS stated (name, works_from)
      WHERE migration_name = stated.name AND _prisma_migrations.works_from IS NULL AND finished_at IS NOT NULL`,
    [stated.map(({ name }) => name), stated.map(({ from }) => from)],
  )
}

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
