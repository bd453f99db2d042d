import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createTargets } from '../compare/targets.ts'
import { createDemoHome } from './demoSchool.ts'
import { machine, median, megabytes, printRows } from './figures.ts'
import { type MeasuredProcess, startMeasured } from './measuredProcess.ts'

const help = `npm run bench -- start [options]

Starts the service with the demo school on PostgreSQL and Redis, and bare oidc-provider on Redis, in turn. Reports the time and the CPU until
each is ready, the CPU from the start to half a minute after that, and the memory at rest: half a minute after the self-check.

  --rounds <n>   starts of each (5)
  --quick        2 starts of each, and 10 seconds of rest
  --help

BENCH_DATABASE_URL names the PostgreSQL server; redis-server must be installed. The peers must be installed (npm run bench).`

const say = (line: string): boolean => process.stdout.write(`${line}\n`)
const peers = resolve(import.meta.dirname, '../peers')

interface Started {
  readyMs: number
  cpuMs: number
  restedCpuMs: number
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
  const { home, environment } = await createDemoHome({ DATABASE_URL: await targets.database(), REDIS_URL: targets.redisUrl })
  try {
    say(machine())
    const own: Started[] = []
    const bare: Started[] = []
    for (let round = 0; round <= rounds; round += 1) {
      own.push(await startService(environment, restMs))
      if (existsSync(join(peers, 'node_modules/oidc-provider'))) bare.push(await startEngine(targets.redisUrl, restMs))
    }
    const row = (name: string, all: readonly Started[]): string[] => [
      name,
      ...(['readyMs', 'cpuMs', 'restedCpuMs'] as const).map((key) => median(all.map((one) => one[key])).toFixed(0)),
      ...(['rss', 'heap'] as const).map((key) => megabytes(median(all.map((one) => one[key])))),
    ]
    const [first, ...later] = own
    printRows(
      ['start', 'ready ms', 'CPU ms', 'CPU ms with rest', 'RSS at rest MB', 'heap MB'],
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

async function startService(environment: Record<string, string>, restMs: number): Promise<Started> {
  const service = await startMeasured({ environment, execArgv: ['--max-semi-space-size=16'] })
  try {
    const [rested, checked] = [restedCpu(service, restMs), untilChecked(service)]
    await checked
    await rest(restMs)
    return await figuresOf(service, await rested)
  } finally {
    await service.stop()
  }
}

async function startEngine(redisUrl: string, restMs: number): Promise<Started> {
  const engine = await startMeasured({
    script: join(peers, 'engine.js'),
    environment: { REDIS_URL: redisUrl },
    readyPath: '/.well-known/openid-configuration',
  })
  try {
    return await figuresOf(engine, await restedCpu(engine, restMs))
  } finally {
    await engine.stop()
  }
}

const rest = (milliseconds: number): Promise<void> => new Promise((resume) => setTimeout(resume, milliseconds))

async function restedCpu(process: MeasuredProcess, restMs: number): Promise<number> {
  await rest(restMs)
  return process.cpuMs()
}

async function figuresOf(process: MeasuredProcess, restedCpuMs: number): Promise<Started> {
  const rss = process.residentBytes()
  const { heapUsed: heap } = await process.memory()
  return { readyMs: process.readyMs, cpuMs: process.startCpuMs, restedCpuMs, rss, heap }
}

async function untilChecked({ admin }: MeasuredProcess): Promise<void> {
  const deadline = performance.now() + 300_000
  while (performance.now() < deadline) {
    const { self_check: check } = JSON.parse((await admin.send('/readyz')).text) as { self_check: { passed: number } }
    if (check.passed === 1) return
    await rest(200)
  }
  throw new Error('the self-check did not pass within five minutes')
}
