import type { Sql } from '../connection/sql.ts'

/** A record of this name makes a database unusable until the copy into it is complete. */
export const copyRecord = 'database_copy'

/** How far a copy is. */
export interface CopyState {
  /** The id of the database that is copied. */
  source: string
  /** The table whose rows are being copied, and the key of the last one. Undefined before the first table. */
  table?: string
  after?: readonly string[]
  /** True after the rows of all tables: then the late references follow. */
  hasRows?: true
}

export async function readCopyState(sql: Sql): Promise<CopyState | undefined> {
  const [row] = await sql.query<{ logs: string }>('SELECT logs FROM _prisma_migrations WHERE migration_name = $1', [copyRecord])
  if (!row) return undefined
  const state: CopyState = JSON.parse(row.logs)
  return state
}

export async function beginCopy(sql: Sql, state: CopyState): Promise<void> {
  await sql.query('INSERT INTO _prisma_migrations (id, checksum, migration_name, logs) VALUES ($1, $2, $1, $3)', [
    copyRecord,
    '',
    JSON.stringify(state),
  ])
}

export async function continueCopy(sql: Sql, state: CopyState): Promise<void> {
  await sql.query('UPDATE _prisma_migrations SET logs = $2 WHERE migration_name = $1', [copyRecord, JSON.stringify(state)])
}

export async function endCopy(sql: Sql): Promise<void> {
  await sql.query('DELETE FROM _prisma_migrations WHERE migration_name = $1', [copyRecord])
}
