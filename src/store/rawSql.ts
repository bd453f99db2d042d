import { CompiledQuery } from 'kysely'
import type { Reader } from './database.ts'
import type { Sql } from './sql.ts'

/** Either handle over the same connection: Kysely's, or raw SQL. */
export type Handle = Reader | Sql

const readers = new WeakMap<Sql, Reader>()

/** Runs text over the handle of a request. */
export function rawSql(handle: Handle): Sql {
  if (isRaw(handle)) return handle
  const sql: Sql = {
    async query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
      return (await handle.executeQuery<Row>(CompiledQuery.raw(text, [...values]))).rows
    },
  }
  return withKysely(sql, handle)
}

/** Makes Kysely's handle known for a raw one over the same connection. */
export function withKysely(sql: Sql, reader: Reader): Sql {
  readers.set(sql, reader)
  return sql
}

/** Returns Kysely's handle over the same connection. */
export function kyselyOf(handle: Handle): Reader {
  if (!isRaw(handle)) return handle
  const reader = readers.get(handle)
  if (!reader) throw new Error('this raw handle belongs to no database')
  return reader
}

const isRaw = (handle: Handle): handle is Sql => 'query' in handle
