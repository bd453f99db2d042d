import { parseArgs } from 'node:util'
import { createTargets } from '../compare/targets.ts'
import { machine, megabytes, printRows } from './figures.ts'
import { createHome, type MeasuredProcess, serviceEnvironment, startMeasured } from './measuredProcess.ts'
import { requests } from './schoolRequests.ts'

const help = `npm run bench -- memory [options]

Sends mixed requests to a process with twenty schools, and registers a client with every twentieth: metadata, keys, documents, pages, lists,
MCP calls, and addresses that do not exist. Reports the memory after a tenth of them, after half of them and after all.

  --requests <n>     number of requests (100000)
  --concurrency <n>  requests in flight (8)
  --quick            10000 requests
  --snapshot <file>  writes a heap snapshot at the end
  --help

BENCH_DATABASE_URL names the PostgreSQL server; redis-server must be installed. Exits with 1 if the heap grows by more than 15 percent.`

const say = (line: string): boolean => process.stdout.write(`${line}\n`)
const maxGrowth = 1.15

/** Runs `npm run bench -- memory`. Returns the exit code. */
export async function memoryCommand(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      requests: { type: 'string' },
      concurrency: { type: 'string', default: '8' },
      quick: { type: 'boolean', default: false },
      snapshot: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    say(help)
    return 0
  }
  const count = Number(values.requests ?? (values.quick ? 10_000 : 100_000))
  const targets = await createTargets(process.env.BENCH_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres')
  const home = await createHome(20)
  let service: MeasuredProcess | undefined
  try {
    const stores = { DATABASE_URL: await targets.database(), REDIS_URL: targets.redisUrl }
    service = await startMeasured({ environment: serviceEnvironment(home, stores), execArgv: ['--max-semi-space-size=16'] })
    say(machine())
    const marks: { name: string; memory: NodeJS.MemoryUsage }[] = [{ name: 'ready', memory: await service.memory() }]
    let sent = 0
    for (const share of [0.1, 0.5, 1]) {
      const until = Math.round(count * share)
      await sendMixed(service, home.hosts, { from: sent, until, concurrency: Number(values.concurrency) })
      sent = until
      marks.push({ name: `${sent} requests`, memory: await service.memory() })
    }
    printRows(
      ['after', 'RSS MB', 'heap MB', 'heap and external MB'],
      marks.map(({ name, memory: { rss, heapUsed, external } }) => [
        name,
        megabytes(rss),
        megabytes(heapUsed),
        megabytes(heapUsed + external),
      ]),
      say,
    )
    const [, early, , late] = marks.map(({ memory }) => memory.heapUsed + memory.external)
    const growth = (late ?? 0) / (early ?? 1)
    const [, rssEarly = 1, , rssLate = 0] = marks.map(({ memory }) => memory.rss)
    say(`all requests : a tenth of them = ${growth.toFixed(2)} (heap and external), ${(rssLate / rssEarly).toFixed(2)} (RSS)`)
    if (values.snapshot) await service.snapshot(values.snapshot)
    return growth > maxGrowth ? 1 : 0
  } finally {
    await service?.stop()
    await targets.stop()
    await home.remove()
  }
}

async function sendMixed(
  { client }: MeasuredProcess,
  hosts: readonly string[],
  { from, until, concurrency }: { from: number; until: number; concurrency: number },
): Promise<void> {
  const kinds = [
    ...Object.values(requests).map((send) => ({ send, status: 200 })),
    {
      send: (_client: typeof client, host: string, index: number) => client.send(`/api/v1/courses/none-${index}`, { headers: { host } }),
      status: 404,
    },
    { send: (_client: typeof client, host: string, index: number) => client.send(`/nothing/${index}`, { headers: { host } }), status: 404 },
    {
      send: (_client: typeof client, host: string, index: number) =>
        client.send('/api/v1/account', { headers: { host, authorization: `Bearer none-${index}` } }),
      status: 401,
    },
  ]
  const registration = { redirect_uris: ['http://127.0.0.1:8765/callback'] }
  let next = from
  const work = async (): Promise<void> => {
    while (next < until) {
      const index = next
      next += 1
      const host = hosts[index % hosts.length] as string
      if (index % 20 === 7) {
        const { status } = await client.send('/api/oauth/register', {
          json: { client_name: `Client ${index}`, ...registration },
          headers: { host },
        })
        if (status !== 201) throw new Error(`registration: ${status}`)
        continue
      }
      const kind = kinds[index % kinds.length] as (typeof kinds)[number]
      const { status, text } = await kind.send(client, host, index)
      if (status !== kind.status) throw new Error(`${status} instead of ${kind.status}: ${text.slice(0, 200)}`)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
}
