import type { Client } from 'pg'

/** A value for a column that must not be null, by type. Arrays are empty; an enumeration takes its first value. */
const values: Readonly<Record<string, string>> = {
  uuid: 'gen_random_uuid()',
  text: "'x'",
  citext: "'x'",
  'character varying': "'x'",
  boolean: 'false',
  integer: '0',
  bigint: '0',
  smallint: '0',
  numeric: '0',
  'double precision': '0',
  date: 'current_date',
  'timestamp with time zone': 'now()',
  jsonb: "'{}'",
  bytea: "''",
}

/**
 * Lets the planner of this throwaway database see tables of a hundred million rows. On small tables it prefers to read rows of all schools
 * once and to compare the school in memory. Each table gets a row, because the planner takes a file without pages for an empty table,
 * whatever the statistics say.
 */
export async function pretendManyRows(client: Client): Promise<void> {
  // No triggers, so no foreign keys.
  await client.query('SET session_replication_role = replica')
  const { rows: checks } = await client.query<{ table: string; name: string }>(
    `SELECT conrelid::regclass::text AS table, quote_ident(conname) AS name FROM pg_constraint
      WHERE contype = 'c' AND connamespace = 'public'::regnamespace AND conrelid <> 0`,
  )
  for (const { table, name } of checks) await client.query(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`)
  const { rows: tables } = await client.query<{ table: string; columns: { name: string; type: string; value: string | null }[] }>(
    `SELECT c.oid::regclass::text AS table, coalesce(json_agg(json_build_object('name', quote_ident(attname), 'type', format_type(atttypid, NULL),
              'value', (SELECT quote_literal(enumlabel) FROM pg_enum WHERE enumtypid = atttypid ORDER BY enumsortorder LIMIT 1)))
              FILTER (WHERE attnotnull AND NOT atthasdef AND attgenerated = '' AND attidentity = ''), '[]') AS columns
       FROM pg_class c JOIN pg_attribute ON attrelid = c.oid AND attnum > 0 AND NOT attisdropped
      WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND pg_relation_size(c.oid) = 0 GROUP BY c.oid`,
  )
  for (const { table, columns } of tables) {
    const given = columns.map(({ name, type, value }) => {
      const chosen = value ?? (type.endsWith('[]') ? "'{}'" : values[type])
      if (chosen === undefined) throw new Error(`${table}.${name} has the type ${type}: add a value of it`)
      return [name, chosen] as const
    })
    const names = given.map(([name]) => name).join()
    await client.query(
      given.length === 0
        ? `INSERT INTO ${table} DEFAULT VALUES`
        : `INSERT INTO ${table} (${names}) VALUES (${given.map(([, value]) => value).join()})`,
    )
  }
  await client.query('SET session_replication_role = origin')
  await client.query(`UPDATE pg_class SET reltuples = 1e8, relpages = 1 WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`)
  // An index has one page more, which holds no rows. Its entries are as many, so that reading all of them is as expensive.
  await client.query(`UPDATE pg_class SET reltuples = 1e8, relpages = 2 WHERE relkind = 'i' AND relnamespace = 'public'::regnamespace`)
  await client.query(`SET work_mem = '64kB'; SET max_parallel_workers_per_gather = 0; SET jit = off`)
}
