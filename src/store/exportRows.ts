import type { Sql } from './sql.ts'

const rowsAtOnce = 500

export async function listColumns(sql: Sql, table: string): Promise<{ name: string; type: string }[]> {
  return await sql.query(
    `SELECT attname AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
      WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
    [`"${table}"`],
  )
}

/**
 * Yields the rows of a school in one table as lines of JSON, in the order of the primary key. Every page is one statement, so other work
 * continues between them.
 */
export async function* exportRows(sql: Sql, table: string, schoolId: string): AsyncGenerator<string[]> {
  const keys = await sql.query<{ name: string; type: string }>(
    `SELECT a.attname AS name, format_type(a.atttypid, NULL) AS type
       FROM pg_index i CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k (number, place)
       JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number
      WHERE i.indrelid = $1::regclass AND i.indisprimary ORDER BY k.place`,
    [`"${table}"`],
  )
  if (keys.length === 0) throw new Error(`table ${table} has no primary key`)
  const names = keys.map(({ name }) => `t."${name}"`).join(', ')
  const owner = table === 'school' ? 'id' : 'school_id'
  const text = (after: string): string =>
    `SELECT row_to_json(t)::text AS line, ${keys.map(({ name }, at) => `t."${name}"::text AS k${at}`).join(', ')}
       FROM "${table}" t WHERE t."${owner}" = $1 ${after} ORDER BY ${names} LIMIT ${rowsAtOnce}`
  const next = text(`AND (${names}) > (${keys.map(({ type }, at) => `$${at + 2}::text::${type}`).join(', ')})`)
  let rows = await sql.query<Record<string, string>>(text(''), [schoolId])
  while (rows.length > 0) {
    yield rows.map(({ line }) => `${line}\n`)
    if (rows.length < rowsAtOnce) return
    const last = rows.at(-1) ?? {}
    rows = await sql.query<Record<string, string>>(next, [schoolId, ...keys.map((_, at) => last[`k${at}`])])
  }
}
