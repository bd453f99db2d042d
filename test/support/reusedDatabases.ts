import { Client } from 'pg'

/**
 * Empties databases of PostgreSQL, so that the next test file of the worker gets one as it was created: to create one takes six times as
 * long. A database whose tables, functions, triggers, settings or first rows a test has changed is not used again.
 */
interface ReusedDatabases {
  /** Returns the name of an unchanged, empty database. */
  take(): Promise<string>
  /** Gives back a database that nobody uses any more. */
  giveBack(name: string): void
}

interface Created {
  /** Tables that the migrations leave empty. */
  empty: string[]
  fingerprint: string
}

/** `addressOf` returns the URL of a database; `create` returns the name of a new migrated one. */
export function createReusedDatabases({
  addressOf,
  create,
  drop,
}: {
  addressOf(name: string): string
  create(): Promise<string>
  drop(name: string): void
}): ReusedDatabases {
  const created = new Map<string, Created>()
  const returned: string[] = []
  return {
    async take() {
      for (let name = returned.pop(); name !== undefined; name = returned.pop()) {
        const before = created.get(name)
        // A user without the rights for this gets a new database each time.
        const isEmpty = before && (await withClient(addressOf(name), (client) => isEmptied(client, before)).catch(() => false))
        if (isEmpty) return name
        drop(name)
      }
      const name = await create()
      created.set(name, await withClient(addressOf(name), describe))
      return name
    },
    giveBack: (name) => void returned.push(name),
  }
}

/** Deletes what a test wrote. Returns false if something else than rows and sequences has changed. */
async function isEmptied(client: Client, { empty, fingerprint }: Created): Promise<boolean> {
  await client.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  )
  const filled = await client.query<{ name: string }>(
    empty.map((name) => `SELECT '${name}' AS name WHERE EXISTS (SELECT FROM ${name})`).join(' UNION ALL '),
  )
  const names = filled.rows.map(({ name }) => name)
  // Without triggers and references.
  await client.query('SET session_replication_role = replica')
  await client.query(names.map((name) => `DELETE FROM ${name}`).join(';'))
  await client.query(`SELECT setval(format('%I.%I', schemaname, sequencename), start_value, false) FROM pg_sequences`)
  if (names.length > 0) await client.query(`VACUUM ${names.join(', ')}`)
  // The planner knows as little of these tables as of new ones.
  const own = `(SELECT oid FROM pg_class WHERE relnamespace <> 'pg_catalog'::regnamespace AND relkind IN ('r', 'i'))`
  await client.query(`DELETE FROM pg_statistic WHERE starelid IN ${own}`)
  await client.query(
    `UPDATE pg_class SET reltuples = -1, relpages = 0, relallvisible = 0 WHERE relkind = 'r' AND relpages = 0 AND oid IN ${own}`,
  )
  return (await describe(client)).fingerprint === fingerprint
}

/** Catalogues of PostgreSQL in which a row appears, changes or disappears with each change of the schema. */
const catalogues = [
  ...['pg_attribute', 'pg_attrdef', 'pg_constraint', 'pg_index', 'pg_proc', 'pg_trigger', 'pg_type', 'pg_namespace'],
  ...['pg_rewrite', 'pg_policy', 'pg_extension'],
]

async function describe(client: Client): Promise<Created> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`,
  )
  const tables = rows.map(({ name }) => name)
  const contents = await client.query<{ name: string; hash: string | null }>(
    tables
      .map((name) => `SELECT '${name}' AS name, md5(string_agg(t::text, ',' ORDER BY t::text)) AS hash FROM ${name} t`)
      .join(' UNION ALL '),
  )
  const schema = await client.query(
    [
      `SELECT md5(string_agg((oid, relname, relfilenode, relhastriggers, reloptions, relacl)::text, ',' ORDER BY oid)) FROM pg_class`,
      ...catalogues.map((name) => `SELECT md5(string_agg(ctid::text || xmin::text, ',' ORDER BY ctid)) FROM ${name}`),
      `SELECT string_agg(setconfig::text, ',') FROM pg_db_role_setting s JOIN pg_database d ON d.oid = setdatabase WHERE datname = current_database()`,
    ].join(' UNION ALL '),
  )
  return {
    empty: contents.rows.filter(({ hash }) => hash === null).map(({ name }) => name),
    fingerprint: JSON.stringify([contents.rows, schema.rows]),
  }
}

async function withClient<Result>(connectionString: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
