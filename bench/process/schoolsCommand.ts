import { parseArgs } from 'node:util'
import { Client } from 'pg'
import { createTargets } from '../compare/targets.ts'
import { machine, median, megabytes, printRows } from './figures.ts'
import { createHome, type MeasuredProcess, serviceEnvironment, startMeasured } from './measuredProcess.ts'
import { requests } from './schoolRequests.ts'

const help = `npm run bench -- schools [options]

Starts one process with many empty schools on throwaway stores, twice: the second start finds the schools in the database. Then it sends
each school the same requests: metadata, keys, documents, the API description, a page, a list and an MCP call. Reports the memory of each
school, and the CPU of its first and second requests.

  --schools <n>       number of schools (1000)
  --quick             100 schools
  --without-redis     the database stores everything
  --snapshot <file>   writes a heap snapshot at the end
  --help

BENCH_DATABASE_URL names the PostgreSQL server (postgres://postgres@127.0.0.1:5432/postgres); redis-server must be installed.`

const say = (line: string): boolean => process.stdout.write(`${line}\n`)

/** Runs `npm run bench -- schools`. Returns the exit code. */
export async function schoolsCommand(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      schools: { type: 'string' },
      quick: { type: 'boolean', default: false },
      'without-redis': { type: 'boolean', default: false },
      snapshot: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    say(help)
    return 0
  }
  const count = Number(values.schools ?? (values.quick ? 100 : 1000))
  const targets = await createTargets(process.env.BENCH_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres')
  const home = await createHome(count)
  let running: MeasuredProcess | undefined
  try {
    const stores = { DATABASE_URL: await targets.database(), ...(values['without-redis'] ? {} : { REDIS_URL: targets.redisUrl }) }
    const start = () => startMeasured({ environment: serviceEnvironment(home, stores), execArgv: ['--max-semi-space-size=16'] })
    say(machine())
    running = await start()
    say(
      `first start with ${count} schools: ready after ${(running.readyMs / 1000).toFixed(1)} s, ${(running.startCpuMs / 1000).toFixed(1)} s of CPU`,
    )
    await untilKeysExist(stores.DATABASE_URL, count)
    say(`signing keys created, ${((await running.cpuMs()) / 1000).toFixed(1)} s of CPU since the start`)
    await running.stop()
    running = await start()
    say(`second start: ready after ${(running.readyMs / 1000).toFixed(1)} s, ${(running.startCpuMs / 1000).toFixed(1)} s of CPU`)
    await measure(running, home.hosts)
    if (values.snapshot) await running.snapshot(values.snapshot)
    return 0
  } finally {
    await running?.stop()
    await targets.stop()
    await home.remove()
  }
}

/** Waits until every school has its signing keys. */
async function untilKeysExist(databaseUrl: string, count: number): Promise<void> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const deadline = performance.now() + 3_600_000
    while (performance.now() < deadline) {
      const { rows } = await client.query('SELECT count(DISTINCT school_id) AS schools FROM signing_key')
      if (Number(rows[0]?.schools) >= count) return
      await new Promise((resume) => setTimeout(resume, 500))
    }
    throw new Error('the signing keys were not created within an hour')
  } finally {
    await client.end()
  }
}

async function measure(service: MeasuredProcess, hosts: readonly string[]): Promise<void> {
  const before = await service.memory()
  const [warm, ...others] = hosts
  // The first school pays for what all schools share.
  const rounds = [[warm as string], others, others]
  const costs = rounds.map(() => Object.fromEntries(Object.keys(requests).map((name) => [name, [] as number[]])))
  const memories = [before]
  for (const [round, hosts] of rounds.entries()) {
    for (const host of hosts) {
      for (const [name, send] of Object.entries(requests)) {
        const start = await service.cpuMs()
        const { status, text } = await send(service.client, host)
        if (status !== 200) throw new Error(`${name} of ${host}: ${status} ${text.slice(0, 300)}`)
        costs[round]?.[name]?.push((await service.cpuMs()) - start)
      }
    }
    memories.push(await service.memory())
  }
  const of = (round: number, name: string): number[] => costs[round]?.[name] ?? []
  say('\nCPU per request in ms: the first request of the process, then medians over the schools')
  printRows(
    ['request', 'first school', 'first of a school', 'second of a school', 'slowest first'],
    Object.keys(requests).map((name) => [
      name,
      ...[median(of(0, name)), median(of(1, name)), median(of(2, name)), Math.max(...of(1, name))].map((ms) => ms.toFixed(1)),
    ]),
    say,
  )
  const sum = (round: number): number => Object.keys(requests).reduce((total, name) => total + median(of(round, name)), 0)
  say(`all requests: ${sum(1).toFixed(1)} ms for the first of a school, ${sum(2).toFixed(1)} ms for the second`)
  say('\nmemory in MB, after a garbage collection')
  printRows(
    ['when', 'RSS', 'heap', 'external', 'RSS per school in kB', 'heap per school in kB'],
    ['ready', 'one school used', 'all schools used', 'all schools used twice'].map((when, index) => {
      const { rss = 0, heapUsed = 0, external = 0 } = memories[index] ?? {}
      const perSchool = (total: number, one: number): string => (index < 2 ? '' : ((total - one) / 1000 / others.length).toFixed(0))
      return [
        when,
        megabytes(rss),
        megabytes(heapUsed),
        megabytes(external),
        perSchool(rss, memories[1]?.rss ?? 0),
        perSchool(heapUsed + external, (memories[1]?.heapUsed ?? 0) + (memories[1]?.external ?? 0)),
      ]
    }),
    say,
  )
}
