import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { Client } from 'pg'
import { openDatabase } from '../../src/database/connection/openDatabase.ts'
import { migrate } from '../../src/database/migrations/migrate.ts'
import { secondsPerMillionRows } from '../../src/database/migrations/migrationPlan.ts'
import { createTargets } from '../compare/targets.ts'
import { machine, printRows } from '../process/figures.ts'
import { addSchools } from './growthCommand.ts'
import { growingKinds } from './kinds.ts'

const help = `npm run bench -- migrations [options]

Fills the largest tables and measures the kinds of work of migrations, in seconds for a million rows: the figures from which
\`schoolgate migrate plan\` estimates how long locks are held (secondsPerMillionRows in src/database/migrations/migrationPlan.ts).

  --rows <n>   rows of each table (1000000)
  --help

BENCH_DATABASE_URL names the PostgreSQL server (postgres://postgres@127.0.0.1:5432/postgres); redis-server must be installed.`

/** The work on one table, by its kind. Each is one statement, so that nothing is counted twice. */
const work: Readonly<Record<string, (table: string) => readonly string[]>> = {
  'a column, for a moment': (table) => [`ALTER TABLE ${table} ADD COLUMN bench_unset text DEFAULT 'x'`],
  scans: (table) => [`ALTER TABLE ${table} ADD CONSTRAINT bench CHECK (bench_unset <> '')`],
  indexes: (table) => [`CREATE INDEX bench_index ON ${table} (school_id, id)`, `DROP INDEX bench_index`],
  'indexes, next to requests': (table) => [`CREATE INDEX CONCURRENTLY bench_index ON ${table} (school_id, id)`, `DROP INDEX bench_index`],
  writes: (table) => [`UPDATE ${table} SET bench_unset = 'y'`],
  rewrites: (table) => [`ALTER TABLE ${table} ADD COLUMN bench_random uuid DEFAULT gen_random_uuid()`],
}

/** Runs `npm run bench -- migrations`. Returns the exit code. */
export async function migrationsCommand(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { rows: { type: 'string', default: '1000000' }, help: { type: 'boolean', default: false } },
  })
  const say = (line: string): boolean => process.stdout.write(`${line}\n`)
  if (values.help) {
    say(help)
    return 0
  }
  const rows = Number(values.rows)
  const targets = await createTargets(process.env.BENCH_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres')
  const url = await targets.database()
  const client = new Client({ connectionString: url })
  try {
    const database = await openDatabase({ databaseUrl: url, dataDirectory: '', poolSize: 2 })
    await migrate(database, resolve(import.meta.dirname, '../../prisma/migrations'))
    await database.close()
    await client.connect()
    await addSchools(client, 1000)
    const measured: string[][] = []
    for (const kind of growingKinds) {
      for (const statement of kind.fill) await client.query(statement, [1, rows])
      const [table = ''] = kind.tables
      await client.query(`VACUUM ANALYZE ${table}`)
      for (const [name, statements] of Object.entries(work)) {
        const [first = '', ...rest] = statements(table)
        const start = performance.now()
        await client.query(first)
        const seconds = (performance.now() - start) / 1000
        for (const statement of rest) await client.query(statement)
        const estimate = Object.entries(secondsPerMillionRows).find(([one]) => one === name)?.[1]
        measured.push([table, name, ((seconds * 1e6) / rows).toFixed(2), estimate === undefined ? '' : String(estimate)])
      }
    }
    say(`${machine()}; ${rows.toLocaleString('en')} rows in each table\n`)
    printRows(['table', 'work', 'seconds for a million rows', 'estimate of migrate plan'], measured, say)
    return 0
  } finally {
    await client.end()
    await targets.stop()
  }
}
