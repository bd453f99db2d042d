import { parseArgs } from 'node:util'
import { Client } from 'pg'
import { createTargets, type Targets } from '../compare/targets.ts'
import { type DemoSchool, startDemoSchool } from './demoSchool.ts'
import { machine, median, printRows } from './figures.ts'

const help = `npm run bench -- search [options]

Measures in a demo school: the search of all types against a list of courses, both the CPU of service and stores; the CPU of PostgreSQL for
50,000 orders that are written directly, and for a search of them; and an update of one column of a course, with the share that changes in place.

  --rounds <n>     measured rounds after two for warming up (9)
  --requests <n>   requests of a round (40)
  --orders <n>     orders that are written (50000)
  --most <ratio>   the highest allowed ratio of a search to a list (5)
  --help

BENCH_DATABASE_URL names the PostgreSQL server; redis-server must be installed. Exits with 1 if the ratio exceeds --most.`

const say = (line: string): boolean => process.stdout.write(`${line}\n`)
const warmUps = 2

/** The requests of a round, by name. The first one is the measure of the others. */
const reads = {
  'list of courses': '/courses',
  'search, with matches': '/search?q=clay',
  'search, without a match': '/search?q=zzzq',
  'courses, q': '/courses?q=clay',
}

/** Runs `npm run bench -- search`. Returns the exit code. */
export async function searchCommand(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string', default: '9' },
      requests: { type: 'string', default: '40' },
      orders: { type: 'string', default: '50000' },
      most: { type: 'string', default: '5' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    say(help)
    return 0
  }
  const [rounds, requests] = [Number(values.rounds), Number(values.requests)]
  const targets = await createTargets(process.env.BENCH_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres')
  let school: DemoSchool | undefined
  const client = new Client({ connectionString: await targets.database() })
  try {
    const stores = { DATABASE_URL: connectionOf(client), REDIS_URL: `${targets.redisUrl}/0` }
    school = await startDemoSchool(stores)
    await client.connect()
    await client.query('ANALYZE')
    say(machine())
    const ratio = await measureReads(school, targets, { rounds, requests })
    const loading = await costOf(targets, () => client.query(manyOrders, [Number(values.orders)]))
    await client.query('ANALYZE')
    const updates = await measureUpdates(client, targets, rounds)
    const read = readerOf(school)
    for (let at = 0; at < warmUps * 5; at += 1) await read('/orders?q=an')
    const found: string[][] = []
    // Two letters that no order has, two that every order has, and a whole number.
    for (const text of ['zq', 'an', 'ar', '2025-000001']) {
      const { storesMs, seconds } = await costOf(targets, () => repeat(requests, () => read(`/orders?q=${text}`)))
      found.push([`orders?q=${text}`, (storesMs / requests).toFixed(2), (seconds / requests).toFixed(3)])
    }
    const loaded = [`${values.orders} orders, written directly`, loading.storesMs.toFixed(0), loading.seconds.toFixed(1)]
    printRows(['with many orders', 'CPU of the stores, ms', 'seconds'], [loaded, ...found, ...updates], say)
    return ratio <= Number(values.most) ? 0 : 1
  } finally {
    await client.end()
    await school?.stop()
    await targets.stop()
  }
}

const connectionOf = ({ user, host, port, database }: Client): string => `postgres://${user}@${host}:${port}/${database}`

const readerOf =
  ({ service, token }: DemoSchool) =>
  async (path: string): Promise<void> => {
    const { status, text } = await service.client.send(`/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } })
    if (status !== 200) throw new Error(`${path}: ${status} ${text.slice(0, 200)}`)
  }

async function repeat(times: number, work: () => Promise<unknown>): Promise<void> {
  for (let at = 0; at < times; at += 1) await work()
}

interface Cost {
  storesMs: number
  seconds: number
}

async function costOf({ storesCpuSeconds }: Targets, work: () => Promise<unknown>): Promise<Cost> {
  const [stores, start] = [storesCpuSeconds(), performance.now()]
  await work()
  return { storesMs: (storesCpuSeconds() - stores) * 1000, seconds: (performance.now() - start) / 1000 }
}

/** Prints the CPU of each read. Returns the ratio of the search with matches to the list. */
async function measureReads(school: DemoSchool, targets: Targets, { rounds, requests }: Record<'rounds' | 'requests', number>) {
  const read = readerOf(school)
  const costs = new Map(Object.keys(reads).map((name) => [name, { service: [] as number[], stores: [] as number[] }]))
  for (let round = -warmUps; round < rounds; round += 1) {
    for (const [name, path] of Object.entries(reads)) {
      const before = await school.service.cpuMs()
      const { storesMs } = await costOf(targets, () => repeat(requests, () => read(path)))
      if (round < 0) continue
      costs.get(name)?.service.push(((await school.service.cpuMs()) - before) / requests)
      costs.get(name)?.stores.push(storesMs / requests)
    }
  }
  const totals = [...costs].map(([name, { service, stores }]) => ({ name, service: median(service), stores: median(stores) }))
  const sum = (at: number): number => (totals[at]?.service ?? 0) + (totals[at]?.stores ?? 0)
  printRows(
    ['read', 'service ms', 'stores ms', ': list'],
    totals.map(({ name, service, stores }, at) => [name, service.toFixed(2), stores.toFixed(2), (sum(at) / sum(0)).toFixed(2)]),
    say,
  )
  return sum(1) / sum(0)
}

/** Copies of the orders of the demo school. */
const manyOrders = `
  WITH origin AS MATERIALIZED (
    SELECT orders.*, row_number() OVER () AS place, count(*) OVER () AS count FROM orders WHERE subscription_id IS NULL)
  INSERT INTO orders SELECT copy.* FROM generate_series(1, 1000) AS n, origin, LATERAL jsonb_populate_record(
    NULL::orders, to_jsonb(origin) || jsonb_build_object(
      'id', overlay(id::text PLACING substr(md5(id::text || n), 1, 12) FROM 25), 'number', number || '-' || n,
      'buyer_email', 'copy' || n || '.' || buyer_email, 'receipt_number', receipt_number || '-' || n,
      'payment_reference', payment_reference || '-' || n, 'invoice_number', invoice_number || '-' || n)) AS copy
   WHERE (n - 1) * count + place <= $1`

/** Columns of a course that no index needs and that no search compares, and one that it compares. */
const changes = ['capacity', 'description']

async function measureUpdates(client: Client, targets: Targets, rounds: number): Promise<string[][]> {
  const updates = 100
  const rows: string[][] = []
  for (const column of changes) {
    const change = (at: number) =>
      client.query(
        column === 'capacity'
          ? 'UPDATE course SET capacity = 100 + $1::int, updated_at = now(), version = version + 1 WHERE slug = $2'
          : `UPDATE course SET description = description || $1::int, updated_at = now(), version = version + 1 WHERE slug = $2`,
        [at, 'clay-from-scratch'],
      )
    const costs: number[] = []
    const before = await inPlace(client)
    for (let round = -warmUps; round < rounds; round += 1) {
      const { storesMs } = await costOf(targets, async () => {
        for (let at = 0; at < updates; at += 1) await change(at)
      })
      if (round >= 0) costs.push(storesMs / updates)
    }
    const after = await inPlace(client)
    const share = `${after.hot - before.hot} of ${after.all - before.all} in place`
    rows.push([`update of course.${column}, ${share}`, median(costs).toFixed(2), ''])
  }
  return rows
}

async function inPlace(client: Client): Promise<{ hot: number; all: number }> {
  await client.query('SELECT pg_stat_force_next_flush()')
  const { rows } = await client.query<{ hot: number; all: number }>(
    `SELECT n_tup_hot_upd::int AS hot, n_tup_upd::int AS "all" FROM pg_stat_user_tables WHERE relname = 'course'`,
  )
  return rows[0] ?? { hot: 0, all: 0 }
}
