import { CompiledQuery } from 'kysely'
import type { Reader } from './database.ts'
import type { Sql } from './sql.ts'

/** Raw SQL over the handle of a request: for reads that are no rows of one table. */
export const rawSql = (reader: Reader): Sql => ({
  async query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await reader.executeQuery<Row>(CompiledQuery.raw(text, [...values]))).rows
  },
})
