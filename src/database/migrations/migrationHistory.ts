import type { Sql } from '../connection/sql.ts'
import { copyRecord } from './copyRecord.ts'
import type { Migration } from './migrationFiles.ts'

/** A migration that the table of Prisma Migrate says was applied. */
export interface MigrationRecord {
  migration_name: string
  checksum: string
  finished_at: Date | null
  /** The migration that a release must know to run on the database; null if the migration does not state it. */
  works_from: string | null
}

/** How the migrations of a release and those of a database compare. */
export interface MigrationHistory {
  missing: readonly Migration[]
  /** Applied migrations of a newer release, which state that this one works with them. */
  newer: readonly string[]
  applied: ReadonlySet<string>
}

/** Returns the records of what was applied. A database without records has none, and one of an earlier release has no `works_from`. */
export async function readRecords(sql: Sql): Promise<MigrationRecord[]> {
  const [table] = await sql.query<{ name: string | null }>(`SELECT to_regclass('_prisma_migrations')::text AS name`)
  if (!table?.name) return []
  return await sql.query<MigrationRecord>(
    `SELECT migration_name, checksum, finished_at, to_jsonb(record) ->> 'works_from' AS works_from
       FROM _prisma_migrations AS record WHERE rolled_back_at IS NULL ORDER BY migration_name`,
  )
}

/**
 * Compares the migrations of this release with the records of a database.
 * @throws Error if the histories do not fit: a migration was edited, or did not end, or this release is too old for the database
 */
export function compareHistory(migrations: readonly Migration[], records: readonly MigrationRecord[]): MigrationHistory {
  const known = new Map(migrations.map((migration) => [migration.name, migration]))
  const newer: string[] = []
  for (const { migration_name: name, checksum, finished_at, works_from: worksFrom } of records) {
    if (name === copyRecord) throw new Error('a copy into this database is not complete: run schoolgate database copy again')
    const migration = known.get(name)
    if (!migration) requireCompatible(name, worksFrom, known)
    if (finished_at === null) {
      throw new Error(
        `migration ${name} was begun and not finished. Repair the database, then run: prisma migrate resolve --applied ${name}`,
      )
    }
    if (!migration) newer.push(name)
    else if (migration.checksum !== checksum) {
      throw new Error(`migration ${name} was edited after it had been applied. Restore the file and put the change into a new migration`)
    }
  }
  const applied = new Set(records.map((record) => record.migration_name))
  const missing = migrations.filter(({ name }) => !applied.has(name))
  const [first] = missing
  if (first && newer.length > 0) {
    throw new Error(`the database has migrations of a newer release (${newer.join(', ')}) and lacks ${first.name}. Run the newer release`)
  }
  return { missing, newer, applied }
}

/** @throws Error if the database does not state that this release works with a migration that it does not know */
function requireCompatible(name: string, worksFrom: string | null, known: ReadonlyMap<string, Migration>): void {
  if (worksFrom !== null && known.has(worksFrom)) return
  const reason =
    worksFrom === null || worksFrom === name
      ? 'with which no earlier release works'
      : `with which only releases from ${worksFrom} on work, and this release is older`
  throw new Error(`the database has migration ${name}, ${reason}. Run the release that brought it, or a newer one`)
}
