import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createTargets } from '../compare/targets.ts'
import { machine, median, megabytes, printRows } from './figures.ts'
import { type BenchHome, createHome, type MeasuredProcess, serviceEnvironment, startMeasured } from './measuredProcess.ts'

const help = `npm run bench -- start [options]

Starts the service with one school on PostgreSQL and Redis, and bare oidc-provider on Redis, in turn. Reports the time and the CPU until each
is ready, and the memory at rest: half a minute after the self-check.

  --rounds <n>   starts of each (5)
  --quick        2 starts of each, and 10 seconds of rest
  --help

BENCH_DATABASE_URL names the PostgreSQL server; redis-server must be installed. The peers must be installed (npm run bench).`

const say = (line: string): boolean => process.stdout.write(`${line}\n`)
const peers = resolve(import.meta.dirname, '../peers')

interface Started {
  readyMs: number
  cpuMs: number
  rss: number
  heap: number
}

/** Runs `npm run bench -- start`. Returns the exit code. */
export async function startCommand(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { rounds: { type: 'string' }, quick: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
  })
  if (values.help) {
    say(help)
    return 0
  }
  const rounds = Number(values.rounds ?? (values.quick ? 2 : 5))
  const restMs = values.quick ? 10_000 : 30_000
  const targets = await createTargets(process.env.BENCH_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres')
  const home = await createHome(1)
  try {
    const stores = { DATABASE_URL: await targets.database(), REDIS_URL: targets.redisUrl }
    say(machine())
    const own: Started[] = []
    const bare: Started[] = []
    for (let round = 0; round <= rounds; round += 1) {
      own.push(await startService(home, stores, restMs))
      if (existsSync(join(peers, 'node_modules/oidc-provider'))) bare.push(await startEngine(targets.redisUrl))
    }
    const row = (name: string, all: readonly Started[]): string[] => [
      name,
      ...(['readyMs', 'cpuMs'] as const).map((key) => median(all.map((one) => one[key])).toFixed(0)),
      ...(['rss', 'heap'] as const).map((key) => megabytes(median(all.map((one) => one[key])))),
    ]
    const [first, ...later] = own
    printRows(
      ['start', 'ready ms', 'CPU ms', 'RSS at rest MB', 'heap MB'],
      [
        row('Schoolgate, first', first ? [first] : []),
        row('Schoolgate, second', later),
        ...(bare.length > 0 ? [row('oidc-provider + ioredis', bare.slice(1))] : []),
      ],
      say,
    )
    return 0
  } finally {
    await targets.stop()
    await home.remove()
  }
}

async function startService(home: BenchHome, stores: Record<string, string>, restMs: number): Promise<Started> {
  const service = await startMeasured({ environment: serviceEnvironment(home, stores), execArgv: ['--max-semi-space-size=16'] })
  try {
    await untilChecked(service)
    await new Promise((resume) => setTimeout(resume, restMs))
    return await figuresOf(service)
  } finally {
    await service.stop()
  }
}

async function startEngine(redisUrl: string): Promise<Started> {
  const engine = await startMeasured({
    script: join(peers, 'engine.js'),
    environment: { REDIS_URL: redisUrl },
    readyPath: '/.well-known/openid-configuration',
  })
  try {
    return await figuresOf(engine)
  } finally {
    await engine.stop()
  }
}

async function figuresOf(process: MeasuredProcess): Promise<Started> {
  const rss = process.residentBytes()
  const { heapUsed: heap } = await process.memory()
  return { readyMs: process.readyMs, cpuMs: process.startCpuMs, rss, heap }
}

async function untilChecked({ admin }: MeasuredProcess): Promise<void> {
  const deadline = performance.now() + 300_000
  while (performance.now() < deadline) {
    const { self_check: check } = JSON.parse((await admin.send('/readyz')).text) as { self_check: { passed: number } }
    if (check.passed === 1) return
    await new Promise((resume) => setTimeout(resume, 200))
  }
  throw new Error('the self-check did not pass within five minutes')
}
