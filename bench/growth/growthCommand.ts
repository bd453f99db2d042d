import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { Client } from 'pg'
import { openDatabase } from '../../src/database/connection/openDatabase.ts'
import { migrate } from '../../src/database/migrations/migrate.ts'
import { createTargets } from '../compare/targets.ts'
import { machine, median, printRows } from '../process/figures.ts'
import { type GrowingKind, growingKinds } from './kinds.ts'
import { measureTokens } from './tokens.ts'

const help = `npm run bench -- growth [options]

Fills throwaway stores with accounts, access tokens, refresh tokens and audit entries, at a quarter, a half and all of the rows, and measures
bytes, the time to fill, and the statements of the service at each size. Prints the slopes, and what they come to for a million accounts,
three million access tokens, ten million refresh-token rows and a hundred million audit rows.

  --scale <x>     multiplies the rows (1: 200,000 accounts, 400,000 refresh-token rows, 1,000,000 audit rows)
  --schools <n>   schools that share the rows (1000)
  --tokens <n>    live access tokens in Redis (200000)
  --rounds <n>    runs of each statement (30)
  --help

BENCH_DATABASE_URL names the PostgreSQL server (postgres://postgres@127.0.0.1:5432/postgres); redis-server must be installed.`

const say = (line: string): boolean => process.stdout.write(`${line}\n`)
/** Rows of consecutive numbers that belong to one school. */
const rowsOfSchool = 1000

/** Runs `npm run bench -- growth`. Returns the exit code. */
export async function growthCommand(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      scale: { type: 'string', default: '1' },
      schools: { type: 'string', default: '1000' },
      tokens: { type: 'string', default: '200000' },
      rounds: { type: 'string', default: '30' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    say(help)
    return 0
  }
  const targets = await createTargets(process.env.BENCH_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres')
  try {
    say(`${machine()}; ${values.schools} schools`)
    const url = await targets.database()
    const measured = await measureRows(url, { schools: Number(values.schools), scale: Number(values.scale), rounds: Number(values.rounds) })
    printMeasured(measured)
    await measureTokens(targets.redisUrl, {
      tokens: Number(values.tokens),
      schools: Number(values.schools),
      rounds: Number(values.rounds),
      say,
    })
    return 0
  } finally {
    await targets.stop()
  }
}

interface Size {
  rows: number
  bytes: number
  fillSeconds: number
  /** Medians in milliseconds, by the name of the work. */
  times: Record<string, number>
}

interface Measured {
  kind: GrowingKind
  sizes: Size[]
  vacuumSeconds: number
}

async function measureRows(
  url: string,
  { schools, scale, rounds }: { schools: number; scale: number; rounds: number },
): Promise<Measured[]> {
  const database = await openDatabase({ databaseUrl: url, dataDirectory: '', poolSize: 2 })
  const client = new Client({ connectionString: url })
  try {
    await migrate(database, resolve(import.meta.dirname, '../../prisma/migrations'))
    await client.connect()
    const idOf = await addSchools(client, schools)
    const schoolOf = (row: number): string => idOf[Math.floor(row / rowsOfSchool) % schools] ?? ''
    const all: Measured[] = []
    for (const kind of growingKinds) {
      const sizes: Size[] = []
      let filled = 0
      for (const share of [0.25, 0.5, 1]) {
        const rows = Math.round(kind.measured * scale * share)
        const start = performance.now()
        for (const statement of kind.fill) await client.query(statement, [filled + 1, rows])
        const fillSeconds = (performance.now() - start) / 1000
        for (const table of kind.tables) await client.query(`ANALYZE ${table}`)
        const bytes = await bytesOf(client, kind.tables)
        const times: Record<string, number> = {}
        for (const [name, work] of Object.entries(kind.work)) {
          const taken: number[] = []
          for (let round = 0; round < rounds; round += 1) {
            const row = 1 + Math.floor(Math.random() * rows)
            const begin = performance.now()
            await work(database, row, schoolOf)
            taken.push(performance.now() - begin)
          }
          times[name] = median(taken)
        }
        sizes.push({ rows, bytes, fillSeconds: fillSeconds / (rows - filled), times })
        filled = rows
      }
      const start = performance.now()
      for (const table of kind.tables) await client.query(`VACUUM ${table}`)
      all.push({ kind, sizes, vacuumSeconds: (performance.now() - start) / 1000 })
    }
    return all
  } finally {
    await client.end()
    await database.close()
  }
}

/** Adds schools, and a function of the database that returns the school of a row. Returns their ids. */
export async function addSchools(client: Client, count: number): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `INSERT INTO school (id, slug, name, locale, supported_locales, time_zone, currency, contact_email)
     SELECT gen_random_uuid(), 'school-' || n, 'School ' || n, 'en', '{en}', 'UTC', 'EUR', 'desk@example.org'
       FROM generate_series(0, $1::int - 1) AS n RETURNING id`,
    [count],
  )
  const ids = rows.map(({ id }) => id)
  await client.query(
    `CREATE FUNCTION bench_school(n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE AS
       $$ SELECT ('{${ids.join(',')}}'::uuid[])[1 + (n / ${rowsOfSchool}) % ${count}] $$`,
  )
  return ids
}

async function bytesOf(client: Client, tables: readonly string[]): Promise<number> {
  const { rows } = await client.query<{ bytes: string }>(
    'SELECT sum(pg_total_relation_size(name::regclass)) AS bytes FROM unnest($1::text[]) AS name',
    [tables],
  )
  return Number(rows[0]?.bytes)
}

function printMeasured(all: readonly Measured[]): void {
  say('\n| kind | rows measured | bytes each, with indexes | bytes at the target | fill at the target | VACUUM at the target |')
  say('| --- | ---: | ---: | ---: | ---: | ---: |')
  for (const { kind, sizes, vacuumSeconds } of all) {
    const [first, last] = [sizes[0], sizes.at(-1)]
    if (!first || !last) continue
    const slope = (last.bytes - first.bytes) / (last.rows - first.rows)
    const cells = [
      `${kind.target.toLocaleString('en')} × ${kind.name}`,
      last.rows.toLocaleString('en'),
      slope.toFixed(0),
      `${((slope * kind.target) / 1e9).toFixed(1)} GB`,
      `${((last.fillSeconds * kind.target) / 60).toFixed(0)} min`,
      `${(((vacuumSeconds / last.rows) * kind.target) / 60).toFixed(1)} min`,
    ]
    say(`| ${cells.join(' | ')} |`)
  }
  say('')
  printRows(
    ['statement, median in ms', 'a quarter', 'half', 'all of the rows'],
    all.flatMap(({ kind, sizes }) =>
      Object.keys(kind.work).map((name) => [`${kind.name}: ${name}`, ...sizes.map(({ times }) => (times[name] ?? 0).toFixed(2))]),
    ),
    say,
  )
}
