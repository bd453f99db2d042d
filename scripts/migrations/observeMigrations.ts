import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { PGlite, type Transaction } from '@electric-sql/pglite'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import { type LockMode, lockModes, type Migration, type MigrationHeader, type Work } from '../../src/database/migrations/migrationFiles.ts'

/** The locks and the work of a migration, as the database shows them. */
export type Observed = Pick<MigrationHeader, 'locks' | 'work'>

const image = resolve(import.meta.dirname, '../../src/gen/embedded/image.tar.gz')

/** Opens an empty database. It starts from the cluster that `npm run generate` wrote: creating one takes four seconds more. */
export async function openShadow(): Promise<PGlite> {
  const cluster = await readFile(image).catch(() => undefined)
  return new PGlite({ extensions: { pg_trgm }, ...(cluster && { loadDataDir: new Blob([cluster]) }) })
}

/**
 * Applies migrations to an empty database and returns what each of them does to the tables that existed before it. PostgreSQL itself reports
 * the locks, the rewritten tables, the new indexes and the scans, so no statement is parsed. Tables are empty: work that depends on rows, such
 * as that of triggers, is not seen.
 */
export async function observeMigrations(migrations: readonly Migration[]): Promise<Map<string, Observed>> {
  const shadow = await openShadow()
  try {
    const observed = new Map<string, Observed>()
    for (const migration of migrations) {
      observed.set(migration.name, await observe(shadow, migration))
      if (migration.isAlone) await shadow.exec(migration.text)
    }
    return observed
  } finally {
    await shadow.close()
  }
}

async function observe(shadow: PGlite, { name, text, isAlone }: Migration): Promise<Observed> {
  try {
    return await shadow.transaction(async (transaction) => {
      const before = await tablesOf(transaction)
      // Without this word, the same statement works on the same tables in a transaction.
      await transaction.exec(isAlone ? text.replace(/\bCONCURRENTLY\b|^\s*COMMIT\s*;/gim, '') : text)
      const result = await observedSince(transaction, before, isAlone)
      if (isAlone) await transaction.rollback()
      return result
    })
  } catch (cause) {
    throw new Error(`migration ${name} fails: ${cause instanceof Error ? cause.message : cause}`, { cause })
  }
}

interface Table {
  name: string
  /** The file with the rows: another one after a rewrite. */
  file: number
  indexes: readonly number[]
  scans: number
}

async function tablesOf(transaction: Transaction): Promise<Map<number, Table>> {
  const { rows } = await transaction.query<Table & { oid: number }>(
    `SELECT t.oid::int, t.relname AS name, t.relfilenode::int AS file,
            ARRAY(SELECT i.indexrelid::int FROM pg_index i WHERE i.indrelid = t.oid) AS indexes,
            coalesce(s.seq_scan, 0)::int AS scans
       FROM pg_class t LEFT JOIN pg_stat_xact_user_tables s ON s.relid = t.oid
      WHERE t.relnamespace = 'public'::regnamespace AND t.relkind = 'r'`,
  )
  return new Map(rows.map(({ oid, ...table }) => [oid, table]))
}

async function observedSince(transaction: Transaction, before: ReadonlyMap<number, Table>, isAlone: boolean): Promise<Observed> {
  // Asked first: the next statement reads catalogues only, and no table of ours.
  const { rows: held } = await transaction.query<{ oid: number; mode: string }>(
    `SELECT relation::int AS oid, mode FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'relation'`,
  )
  const after = await tablesOf(transaction)
  const locks: Observed['locks'][number][] = []
  const work: Work[] = []
  for (const [oid, table] of [...before].toSorted(([, a], [, b]) => a.name.localeCompare(b.name))) {
    const modes = new Set(held.filter((lock) => lock.oid === oid).map((lock) => modeOf(lock.mode)))
    const strongest = lockModes.findLast((mode) => modes.has(mode))
    if (strongest !== undefined) locks.push({ mode: isAlone ? weakened(strongest) : strongest, table: table.name })
    work.push(...workOn(table, after.get(oid), modes))
  }
  return { locks, work }
}

function workOn(table: Table, after: Table | undefined, modes: ReadonlySet<LockMode | undefined>): Work[] {
  // It was dropped.
  if (!after) return []
  const isRewritten = after.file !== table.file
  const built = after.indexes.filter((index) => !table.indexes.includes(index)).length
  const isWritten = modes.has('ROW EXCLUSIVE')
  const one = (kind: Work['kind'], times = 1): Work => ({ kind, table: table.name, times })
  return [
    ...(isRewritten ? [one('rewrites')] : []),
    ...(built > 0 && !isRewritten ? [one('indexes', built)] : []),
    ...(isWritten ? [one('writes')] : []),
    // A rewrite, a build and a change of rows read the table as well.
    ...(!isRewritten && !isWritten && after.scans - table.scans > built ? [one('scans')] : []),
  ]
}

/** `ShareUpdateExclusiveLock` of pg_locks is SHARE UPDATE EXCLUSIVE. Locks of reads are left out. */
const modeOf = (mode: string): LockMode | undefined =>
  lockModes.find((one) => `${one.toLowerCase().replaceAll(' ', '')}lock` === mode.toLowerCase())

/** Work on an index next to requests takes this lock instead (PostgreSQL, "Explicit Locking"). */
const weakened = (mode: LockMode): LockMode => (mode === 'ROW EXCLUSIVE' ? mode : 'SHARE UPDATE EXCLUSIVE')
