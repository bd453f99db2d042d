import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createTargets } from '../compare/targets.ts'
import { machine, median, printRows } from './figures.ts'
import { createHome, type MeasuredProcess, serviceEnvironment, startMeasured } from './measuredProcess.ts'

const help = `npm run bench -- workers [options]

Compares the service with one process and with several workers (WORKERS), each on its own database, in alternating rounds. The load comes
from this process, and PostgreSQL and Redis run on the same machine: the workers need free cores in addition to those.

  --workers <n>      number of workers (2)
  --rounds <n>       measured rounds after the warm-up (5)
  --requests <n>     requests of a round (4000)
  --concurrency <n>  requests in flight (16)
  --help

BENCH_DATABASE_URL names the PostgreSQL server; redis-server must be installed.`

const say = (line: string): boolean => process.stdout.write(`${line}\n`)
const root = resolve(import.meta.dirname, '../..')

const paths = {
  'list of courses': '/api/v1/courses?limit=20',
  'sign-in page': '/account/sign-in',
  discovery: '/.well-known/openid-configuration',
}

/** Runs `npm run bench -- workers`. Returns the exit code. */
export async function workersCommand(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      workers: { type: 'string', default: '2' },
      rounds: { type: 'string', default: '5' },
      requests: { type: 'string', default: '4000' },
      concurrency: { type: 'string', default: '16' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    say(help)
    return 0
  }
  const workers = Number(values.workers)
  const [count, concurrency] = [Number(values.requests), Number(values.concurrency)]
  const targets = await createTargets(process.env.BENCH_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres')
  const home = await createHome(0)
  const services: MeasuredProcess[] = []
  const start = async (index: number): Promise<MeasuredProcess> => {
    const stores = {
      DATABASE_URL: await targets.database(),
      REDIS_URL: `${targets.redisUrl}/${index}`,
      DEMO: 'on',
      WORKERS: index === 0 ? '1' : values.workers,
    }
    const environment = { ...serviceEnvironment(home, stores), CONFIG_DIR: resolve(root, 'config'), DATA_DIR: `${home.data}-${index}` }
    const service = await startMeasured({ environment, execArgv: ['--max-semi-space-size=16'] })
    services.push(service)
    return service
  }
  try {
    const [one, several] = [await start(0), await start(1)]
    say(machine())
    const rates = Object.keys(paths).map((name) => ({ name, one: [] as number[], several: [] as number[] }))
    for (let round = 0; round <= Number(values.rounds); round += 1) {
      for (const [index, path] of Object.values(paths).entries()) {
        const first = await rateOf(one, path, { count, concurrency })
        const second = await rateOf(several, path, { count, concurrency })
        if (round === 0) continue
        rates[index]?.one.push(first)
        rates[index]?.several.push(second)
      }
    }
    printRows(
      ['operation', 'one process, requests/s', `${workers} workers, requests/s`, 'ratio'],
      rates.map(({ name, one: single, several: many }) => [
        name,
        median(single).toFixed(0),
        median(many).toFixed(0),
        (median(many) / median(single)).toFixed(2),
      ]),
      say,
    )
    if (availableParallelism() < workers + 2) {
      say(
        `This machine has ${availableParallelism()} cores, fewer than ${workers} workers, the stores and the load need: the ratio says little.`,
      )
    }
    return 0
  } finally {
    for (const service of services) await service.stop()
    await targets.stop()
    await home.remove()
  }
}

/** Sends the requests and returns how many were answered in a second. */
async function rateOf(
  { client }: MeasuredProcess,
  path: string,
  { count, concurrency }: { count: number; concurrency: number },
): Promise<number> {
  let left = count
  const start = performance.now()
  const work = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      const { status } = await client.send(path)
      if (status !== 200) throw new Error(`${path}: ${status}`)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  return (1000 * count) / (performance.now() - start)
}
