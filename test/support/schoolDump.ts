import type { Sql } from '../../src/database/connection/sql.ts'
import { listSchoolTables } from '../../src/database/school/schoolTables.ts'

/** Tables that are not content of the school. */
const traces = [
  'audit_log',
  'change_log',
  'outbox',
  'undo_record',
  'undo_image',
  'undo_file',
  'undo_capture',
  'notification',
  'idempotency_record',
  'grant_use',
  'search_document',
]

/** Columns that count changes, or say when something was changed last. */
const passing = ['version', 'updated_at', 'tree_version', 'unused_since', 'status_changed_at', 'last_active_at', 'last_sign_in_at']

const contentTables = async (sql: Sql): Promise<string[]> =>
  (await listSchoolTables(sql)).filter((table) => !traces.includes(table) && !/^(analytics|oidc)_/.test(table))

/** Returns a checksum of the rows of a school by table. Without traces, only the content of the school counts. */
export async function dumpSchool(sql: Sql, schoolId: string, { withTraces }: { withTraces: boolean }): Promise<Record<string, string>> {
  const tables = withTraces ? await listSchoolTables(sql) : await contentTables(sql)
  const row = withTraces ? 't::text' : '(to_jsonb(t) - $2::text[])::text'
  const sums = tables.map(
    (table) => `SELECT '${table}' AS name, md5(string_agg(${row}, '' ORDER BY ${row})) AS sum FROM "${table}" t WHERE school_id = $1`,
  )
  sums.push(`SELECT 'school' AS name, md5(${row}) AS sum FROM school t WHERE id = $1`)
  const rows = await sql.query<{ name: string; sum: string }>(sums.join(' UNION ALL '), [schoolId, ...(withTraces ? [] : [passing])])
  return Object.fromEntries(rows.map(({ name, sum }) => [name, sum]))
}

/** Returns the tables with other rows. */
export const changedTables = (before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>): string[] =>
  Object.keys(after).filter((table) => after[table] !== before[table])

/** The rows of a school by table and key, without traces and without the columns that only count changes. */
export type Rows = ReadonlyMap<string, Readonly<Record<string, unknown>>>

export async function dumpRows(sql: Sql, schoolId: string): Promise<Rows> {
  const tables = await contentTables(sql)
  const found = await sql.query<{ name: string; row: Record<string, unknown> }>(
    tables
      .map((table) => `SELECT '${table}' AS name, to_jsonb(t) - $2::text[] AS row FROM "${table}" t WHERE school_id = $1`)
      .join(' UNION ALL '),
    [schoolId, [...passing, 'school_id']],
  )
  const keyOf = (row: Record<string, unknown>) =>
    row.id ?? Object.entries(row).flatMap(([name, value]) => (/_id$|^kind$|^n$|^locale$/.test(name) ? [value] : []))
  return new Map(found.map(({ name, row }) => [`${name} ${keyOf(row)}`, row]))
}

/** Returns `table key.column: before → after` for each difference. Names such as `post.pinned` are left out, and `post.` leaves out a table. */
export function differences(before: Rows, after: Rows, except: readonly string[] = []): string[] {
  const shown = (value: unknown) => JSON.stringify(value) ?? 'none'
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((key) => {
    const table = key.split(' ')[0] ?? ''
    const [old, current] = [before.get(key), after.get(key)]
    if (except.includes(`${table}.`)) return []
    if (!old || !current) return [`${key}: ${old ? 'gone' : `new ${shown(current)}`}`]
    return Object.keys({ ...old, ...current })
      .filter((name) => shown(old[name]) !== shown(current[name]) && !except.includes(`${table}.${name}`))
      .map((name) => `${key}.${name}: ${shown(old[name])} → ${shown(current[name])}`)
  })
}
