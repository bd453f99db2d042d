import type { Database } from '../connection/database.ts'
import type { Sql } from '../connection/sql.ts'
import { type LockMode, type Migration, type MigrationHeader, readMigrations, type Work } from './migrationFiles.ts'
import { compareHistory, readRecords } from './migrationHistory.ts'

/** A missing migration, and its effect on processes that serve requests. */
export interface PlannedMigration {
  name: string
  /** True if processes of the release that applied the last migration keep serving meanwhile and afterwards. */
  whileServing: boolean
  /** Why not; undefined if they do. */
  reason: string | undefined
  /** The locks as the migration states them: `ACCESS EXCLUSIVE on orders`. Undefined if it states nothing. */
  locks: readonly string[] | undefined
  /** How long requests may wait for these locks at most, in seconds: with the rows of this database, and with a million in each table. */
  blocksSeconds: number
  blocksSecondsPerMillion: number
  /** How long the migration takes, estimated in the same way. */
  seconds: number
  secondsPerMillion: number
}

/**
 * Seconds of work on a million rows. Measured by `npm run bench -- migrations` on a busy machine: see docs/upgrade.md. Rows, disks and the number
 * of indexes differ, so these are the order of magnitude and no promise.
 */
export const secondsPerMillionRows: Readonly<Record<Work['kind'], number>> = {
  scans: 1.5,
  indexes: 5,
  rewrites: 50,
  writes: 100,
}

/** A lock without work on rows is held for a moment. */
const momentSeconds = 0.05

/** Requests wait for a lock for two seconds (`sessionLimits`): below the half of it none fails. */
const tolerableSeconds = 1

/** Returns the missing migrations in the order in which `migrate` applies them. It changes nothing. */
export async function planMigrations(database: Database, directory: string): Promise<PlannedMigration[]> {
  const { missing, applied } = compareHistory(await readMigrations(directory), await readRecords(database.sql))
  const rows = await rowCounts(database.sql, [...new Set(missing.flatMap(({ header }) => header?.work.map(({ table }) => table) ?? []))])
  return missing.map((migration) => planOf(migration, applied, rows))
}

function planOf(migration: Migration, applied: ReadonlySet<string>, rows: ReadonlyMap<string, number>): PlannedMigration {
  const { name, header } = migration
  const blocking = blockingWork(migration)
  const estimate = (work: readonly Work[], rowsOf: (table: string) => number): number =>
    work.reduce((sum, { kind, table, times }) => sum + (times * secondsPerMillionRows[kind] * rowsOf(table)) / 1e6, momentSeconds)
  const here = (table: string): number => rows.get(table) ?? 0
  const million = (): number => 1e6
  const blocksSeconds = estimate(blocking, here)
  const reason = reasonOf(migration, applied, blocksSeconds)
  return {
    name,
    whileServing: reason === undefined,
    reason,
    locks: header?.locks.map(({ mode, table }) => `${mode} on ${table}`),
    blocksSeconds,
    blocksSecondsPerMillion: estimate(blocking, million),
    seconds: estimate(header?.work ?? [], here),
    secondsPerMillion: estimate(header?.work ?? [], million),
  }
}

/** Returns why processes of the release before must be stopped; undefined if they need not. */
function reasonOf({ name, header }: Migration, applied: ReadonlySet<string>, blocksSeconds: number): string | undefined {
  // No process serves an empty database.
  if (applied.size === 0) return undefined
  const from = header?.worksFrom
  if (from === undefined || from === 'this' || from === name) return 'no earlier release works with it'
  if (!applied.has(from)) return `only releases from ${from} on work with it`
  return blocksSeconds > tolerableSeconds ? `requests wait for about ${Math.ceil(blocksSeconds)} s` : undefined
}

/** Returns about how many rows each table has: counts if the server has no statistics. */
async function rowCounts(sql: Sql, tables: readonly string[]): Promise<Map<string, number>> {
  const known = await sql.query<{ name: string; rows: number }>(
    `SELECT relname AS name, reltuples::float8 AS rows FROM pg_class
      WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND relname = ANY ($1::text[])`,
    [tables],
  )
  return new Map(await Promise.all(known.map(async ({ name, rows }) => [name, rows < 0 ? await count(sql, name) : rows] as const)))
}

async function count(sql: Sql, table: string): Promise<number> {
  const [row] = await sql.query<{ rows: number }>(`SELECT count(*)::float8 AS rows FROM "${table}"`)
  return row?.rows ?? 0
}

/** Modes for which neither reads nor changes of other rows wait. */
const harmless: readonly LockMode[] = ['ROW EXCLUSIVE', 'SHARE UPDATE EXCLUSIVE']

/**
 * Returns the work for which requests wait: every lock is held until the migration ends, so all of it counts if one of the locks keeps
 * requests out. Otherwise only changed rows are locked. A migration outside of a transaction holds no such lock, and commits in parts.
 */
export function blockingWork({ header, isAlone }: Pick<Migration, 'header' | 'isAlone'>): MigrationHeader['work'] {
  if (!header || isAlone) return []
  if (header.locks.some(({ mode }) => !harmless.includes(mode))) return header.work
  return header.work.filter(({ kind }) => kind === 'writes')
}
