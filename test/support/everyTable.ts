import { randomUUID } from 'node:crypto'
import type { Database } from '../../src/database/connection/database.ts'
import type { Sql } from '../../src/database/connection/sql.ts'
import { type Digest, describeTables, digestOf, type TableShape, writeTimesInUtc } from '../../src/database/transfer/tableShapes.ts'
import { setReferences } from '../../src/database/transfer/writeRows.ts'

/** Returns the digests of all tables. */
export const digestsOf = (database: Database): Promise<Record<string, Digest>> =>
  database.script(async (script) => {
    await writeTimesInUtc(script)
    const digests: Record<string, Digest> = {}
    for (const table of await describeTables(script)) digests[table.name] = await digestOf(script, table)
    return digests
  })

interface ForeignKey {
  child: string
  parent: string
  columns: string[]
  parent_columns: string[]
}

type Row = Record<string, unknown>

/** Columns whose value follows from a rule of the table. */
const rules: Readonly<Record<string, (row: Row) => unknown>> = {
  'page.live': () => null,
  'appearance.id': ({ school_id: id }) => id,
}

/** Values that a copy through another form could change. */
const values: Readonly<Record<string, (count: number) => unknown>> = {
  uuid: () => randomUUID(),
  text: (count) => `row ${count}: "quoted", \\back\\slash, 'single', tab\t, line\n, ü, 😀, \u202e, {"a":1}`,
  'character varying': (count) => `v${count}`,
  smallint: (count) => count % 24,
  integer: (count) => 2_147_483_647 - count,
  bigint: (count) => String(9_007_199_254_740_993n + BigInt(count)),
  boolean: (count) => count % 2 === 0,
  date: (count) => (count % 2 ? '0005-02-29 BC' : '2024-02-29'),
  'timestamp with time zone': (count) => `2026-03-29 01:${String(count % 60).padStart(2, '0')}:59.123456+00`,
  jsonb: (count) => `{"count": ${count}, "exact": 12345678901234567890.10, "text": "a\\"b\\\\c\\n", "deep": [[null, true, {"é": 0.1}]]}`,
  'text[]': (count) => ['', 'a,b', '"', '{}', `NULL`, String(count)],
  'uuid[]': () => [randomUUID(), randomUUID()],
}

/** Adds rows to every table that has none, in as many schools, with every column filled. Triggers of the logs find no endpoint. */
export async function fillEveryTable(sql: Sql, { schools, rows }: { schools: number; rows: number }): Promise<void> {
  const keys = await sql.query<ForeignKey>(
    `SELECT con.conrelid::regclass::text AS child, con.confrelid::regclass::text AS parent,
            ARRAY(SELECT attname::text FROM unnest(con.conkey) WITH ORDINALITY k (n, p) JOIN pg_attribute ON attrelid = con.conrelid AND attnum = n ORDER BY p) AS columns,
            ARRAY(SELECT attname::text FROM unnest(con.confkey) WITH ORDINALITY k (n, p) JOIN pg_attribute ON attrelid = con.confrelid AND attnum = n ORDER BY p) AS parent_columns
       FROM pg_constraint con WHERE con.contype = 'f'`,
  )
  const tables = await describeTables(sql)
  let count = 0
  const rowsOf = async (table: TableShape): Promise<Row[]> => {
    const made: Row[] = []
    const owners = table.name === 'school' ? [] : await sql.query<{ id: string }>('SELECT id FROM school ORDER BY id')
    const isOwned = table.columns.some(({ name }) => name === 'school_id')
    for (let index = 0; index < (table.name === 'school' ? schools : rows); index += 1) {
      const row: Row = {}
      count += 1
      for (const { name, type } of table.columns) row[name] = values[type.replace(/\(.*\)/, '')]?.(count) ?? refuse(table.name, name, type)
      if (isOwned) row.school_id = owners[index % owners.length]?.id
      const foreign = keys.filter(({ child, columns }) => child === table.name && columns.join() !== 'school_id')
      for (const { parent, columns, parent_columns: names } of foreign)
        await refer(row, { parent, columns, names, index: Math.floor(index / schools) })
      if ('storage_key' in row) row.storage_key = `${row.school_id}/${randomUUID()}`
      for (const { name } of table.columns) {
        const rule = rules[`${table.name}.${name}`]
        if (rule) row[name] = rule(row)
      }
      made.push(row)
    }
    return made
  }
  const refer = async (
    row: Row,
    { parent, columns, names, index }: { parent: string; columns: string[]; names: string[]; index: number },
  ) => {
    const found = await sql.query<Row>(
      `SELECT ${names.map((name) => `"${name}"::text`).join(', ')} FROM "${parent}" WHERE school_id = $1`,
      [row.school_id],
    )
    const target = found[index % Math.max(1, found.length)]
    for (const [at, column] of columns.entries()) if (column !== 'school_id') row[column] = target?.[names[at] ?? ''] ?? null
  }
  for (const table of tables) {
    const [present] = await sql.query(`SELECT FROM "${table.name}" LIMIT 1`)
    if (present) continue
    for (const row of await rowsOf(table))
      await sql.query(
        `INSERT INTO "${table.name}" SELECT * FROM jsonb_populate_record(NULL::"${table.name}", $1::jsonb) ON CONFLICT (${table.key.map(({ name }) => `"${name}"`).join(', ')}) DO NOTHING`,
        [asJson(row)],
      )
  }
  for (const table of tables.filter(({ late }) => late.length > 0)) {
    const lines = await sql.query<Row>(`SELECT row_to_json(t) AS row FROM "${table.name}" t`)
    const foreign = keys.filter(({ child, columns }) => child === table.name && columns.some((name) => table.late.includes(name)))
    for (const [index, { row }] of lines.entries()) {
      const changed = { ...(row as Row) }
      for (const { parent, columns, parent_columns: names } of foreign) await refer(changed, { parent, columns, names, index })
      await setReferences(sql, table, [asJson(changed)])
    }
  }
}

/** JSON in a text is a value of `jsonb`. */
const asJson = (row: Row): string =>
  `{${Object.entries(row)
    .map(
      ([name, value]) => `${JSON.stringify(name)}:${typeof value === 'string' && /^{"count"/.test(value) ? value : JSON.stringify(value)}`,
    )
    .join(',')}}`

function refuse(table: string, name: string, type: string): never {
  throw new Error(`${table}.${name}: add a value of the type ${type} to everyTable.ts`)
}
