import type { Sql } from '../connection/sql.ts'
import { describeTables } from './tableShapes.ts'

/** True if the database has no table of the service. */
export async function hasNoTables(sql: Sql): Promise<boolean> {
  const [row] = await sql.query(
    `SELECT FROM pg_class WHERE relkind IN ('r', 'p', 'v', 'm') AND relnamespace = current_schema()::regnamespace LIMIT 1`,
  )
  return row === undefined
}

/** Returns the names of tables with rows. That of the installation counts once a process has written into it. */
export async function filledTables(sql: Sql): Promise<string[]> {
  const filled: string[] = []
  for (const { name } of await describeTables(sql)) {
    const isOwn = name === 'installation' ? ' WHERE storage_id IS NOT NULL OR configuration IS NOT NULL' : ''
    const [row] = await sql.query(`SELECT FROM "${name}"${isOwn} LIMIT 1`)
    if (row) filled.push(name)
  }
  return filled
}

/** Deletes the row that the migrations write: rows of another database take its place. */
export const emptyInstallation = (sql: Sql): Promise<unknown> => sql.query('DELETE FROM installation')

/** Returns the id of the first migration record: it was made with the database. */
export async function databaseId(sql: Sql): Promise<string | undefined> {
  const [row] = await sql.query<{ id: string }>('SELECT id FROM _prisma_migrations ORDER BY started_at, migration_name, id LIMIT 1')
  return row?.id
}
