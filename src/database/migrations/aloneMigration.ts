import type { Database } from '../connection/database.ts'
import { type Migration, withoutComments } from './migrationFiles.ts'

/** The name and the table of the index that a statement builds next to requests. */
const concurrentIndex = /^CREATE\s+(?:UNIQUE\s+)?INDEX\s+CONCURRENTLY\s+(?:IF NOT EXISTS\s+)?"?(?<name>\w+)"?\s+ON\s+"?(?<table>\w+)"?/i

export interface ConcurrentIndex {
  name: string
  table: string
}

/** Returns the index that the migration builds next to requests; undefined for other migrations. */
export function concurrentIndexOf({ text }: Pick<Migration, 'text'>): ConcurrentIndex | undefined {
  const { name, table } = concurrentIndex.exec(withoutComments(text))?.groups ?? {}
  return name !== undefined && table !== undefined ? { name, table } : undefined
}

/**
 * Runs a migration that PostgreSQL refuses in a transaction. An interrupted build leaves an invalid index, which is dropped before the next
 * attempt and after a failure. A build that was complete before its record was written is not repeated.
 */
export async function runAlone(database: Database, migration: Migration): Promise<void> {
  const index = concurrentIndexOf(migration)
  if (index === undefined) return await database.alone(migration.text)
  const state = await stateOf(database, index)
  if (state === 'valid') return
  if (state === 'invalid') await dropIndex(database, index)
  try {
    await database.alone(migration.text)
  } catch (error) {
    // After a lost connection this fails as well: then the next attempt drops it.
    if ((await stateOf(database, index).catch(() => undefined)) === 'invalid') await dropIndex(database, index).catch(() => undefined)
    throw error
  }
}

const dropIndex = (database: Database, { name }: ConcurrentIndex): Promise<void> =>
  database.alone(`DROP INDEX CONCURRENTLY IF EXISTS "${name}"`)

async function stateOf(database: Database, { name, table }: ConcurrentIndex): Promise<'absent' | 'invalid' | 'valid'> {
  const [found] = await database.sql.query<{ is_valid: boolean; table: string }>(
    `SELECT indisvalid AND indisready AS is_valid, indrelid::regclass::text AS table FROM pg_index WHERE indexrelid = to_regclass($1)`,
    [`"${name}"`],
  )
  if (!found) return 'absent'
  if (found.table.replaceAll('"', '') !== table) throw new Error(`index ${name} exists on table ${found.table}: rename or drop it`)
  return found.is_valid ? 'valid' : 'invalid'
}
