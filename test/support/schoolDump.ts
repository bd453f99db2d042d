import { listSchoolTables } from '../../src/store/schoolTables.ts'
import type { Sql } from '../../src/store/sql.ts'

/** Tables that are not content of the school. */
const traces = [
  'audit_log',
  'change_log',
  'outbox',
  'undo_record',
  'undo_image',
  'undo_capture',
  'notification',
  'idempotency_record',
  'grant_use',
]

/** Columns that count changes, or say when something was changed last. */
const passing = ['version', 'updated_at', 'tree_version', 'unused_since', 'status_changed_at', 'last_active_at', 'last_sign_in_at']

/** Returns a checksum of the rows of a school by table. Without traces, only the content of the school counts. */
export async function dumpSchool(sql: Sql, schoolId: string, { withTraces }: { withTraces: boolean }): Promise<Record<string, string>> {
  const tables = await listSchoolTables(sql)
  const row = withTraces ? 't::text' : '(to_jsonb(t) - $2::text[])::text'
  const sums = tables
    .filter((table) => withTraces || !(traces.includes(table) || /^(analytics|oidc)_/.test(table)))
    .map((table) => `SELECT '${table}' AS name, md5(string_agg(${row}, '' ORDER BY ${row})) AS sum FROM "${table}" t WHERE school_id = $1`)
  const rows = await sql.query<{ name: string; sum: string }>(sums.join(' UNION ALL '), [schoolId, ...(withTraces ? [] : [passing])])
  return Object.fromEntries(rows.map(({ name, sum }) => [name, sum]))
}

/** Returns the tables with other rows. */
export const changedTables = (before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>): string[] =>
  Object.keys(after).filter((table) => after[table] !== before[table])
