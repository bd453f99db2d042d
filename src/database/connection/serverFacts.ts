import { aliased } from '../statements/columns.ts'
import type { Database } from './database.ts'
import type { Sql } from './sql.ts'

/** @throws Error if the database does not read */
export const readsFrom = ({ sql }: Pick<Database, 'sql'>): Promise<unknown> => sql.query('SELECT 1')

/** Returns the major version of PostgreSQL. */
export async function serverVersion({ sql }: Pick<Database, 'sql'>): Promise<number> {
  const [row] = await sql.query<{ version: string }>(`SELECT current_setting('server_version_num') AS version`)
  return Math.floor(Number(row?.version) / 10_000)
}

/** Returns by how many seconds the clocks of the database and of this machine differ. */
export async function clockOffset({ sql }: Pick<Database, 'sql'>): Promise<number> {
  const before = Date.now()
  const [row] = await sql.query<{ at: string }>('SELECT (extract(epoch FROM clock_timestamp()) * 1000)::text AS at')
  return Math.abs(Number(row?.at) - (before + Date.now()) / 2) / 1000
}

/** Returns the time zone of the connection, and the schools whose time zone the database does not know. */
export async function timeZones({ sql }: Pick<Database, 'sql'>) {
  const school = aliased('school')
  const unknown = await sql.query<{ time_zone: string; slug: string }>(
    `SELECT ${school.time_zone}, ${school.slug} FROM ${school} WHERE NOT EXISTS (SELECT FROM pg_timezone_names WHERE name = ${school.time_zone})`,
  )
  const [own] = await sql.query<{ zone: string }>(`SELECT current_setting('TimeZone') AS zone`)
  return { session: own?.zone ?? '', unknown }
}

/** Every statement of this transaction reads the state of the first one. Call it before any other. */
export const readOneState = (sql: Sql): Promise<unknown> => sql.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ')
