import { type SqlBool, sql } from 'kysely'
import type { DB } from '../../gen/kysely/tables.ts'
import type { Reader } from '../connection/database.ts'

const batchRows = 500

/** Rows of a table that belong to one value of a column, in the order of the keys, which are unique together. */
export interface PersonRows {
  table: keyof DB
  columns: readonly string[]
  keys: readonly string[]
  schoolId: string
  /** With `ofGrants`: rows of the account's grants, whose ids are in that column. */
  where: { column: string; value: string; ofGrants?: string | undefined }
}

// Tables and columns come from declarations, so one table type represents them.
type AnyRows = { any_rows: Record<string, string> }

export async function* personRows(
  database: Reader,
  { table, columns, keys, schoolId, where }: PersonRows,
): AsyncGenerator<Record<string, unknown>[]> {
  const rows = database.withTables<AnyRows>()
  let after: unknown[] | undefined
  for (;;) {
    let query = rows
      .selectFrom(table as 'any_rows')
      .select([...new Set([...columns, ...keys])])
      .where('school_id', '=', schoolId)
      .$call((one) => {
        const { column, value, ofGrants } = where
        if (ofGrants === undefined) return one.where(column, '=', value)
        const grants = database.selectFrom('oidc_grant').select('id').where('school_id', '=', schoolId).where('account_id', '=', value)
        return one.where(ofGrants, 'in', grants)
      })
      .limit(batchRows)
    if (after) {
      const values = after
      query = query.where(isAfter(keys, values))
    }
    for (const key of keys) query = query.orderBy(key)
    const found: Record<string, unknown>[] = await query.execute()
    if (found.length > 0) yield found
    const last = found.at(-1)
    if (found.length < batchRows || !last) return
    after = keys.map((key) => last[key])
  }
}

const isAfter = (keys: readonly string[], values: readonly unknown[]) =>
  sql<SqlBool>`(${sql.join(keys.map((key) => sql.ref(key)))}) > (${sql.join(values.map((value) => sql.val(value)))})`
