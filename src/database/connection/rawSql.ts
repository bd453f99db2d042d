import { CompiledQuery } from 'kysely'
import type { Reader } from './database.ts'
import type { Sql } from './sql.ts'

/** Runs text over a handle of Kysely: for the artifacts of the engine and for statements that compute whole tables. */
export const rawSql = (reader: Reader): Sql => ({
  async query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await reader.executeQuery<Row>(CompiledQuery.raw(text, [...values]))).rows
  },
})
