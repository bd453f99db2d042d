import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { cpus, loadavg, tmpdir, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { measureRound, type Round, summarise, warmUp } from './measure.ts'
import { createMemoryLimit } from './memoryLimit.ts'
import type { OperationName } from './operations.ts'
import { type ServersOptions, service, startAll } from './servers.ts'
import { type Measured, printDetails, printTable } from './table.ts'
import { createTargets } from './targets.ts'

export interface CompareOptions extends Omit<ServersOptions, 'memory'> {
  rounds: number
  concurrency: number
  /** Requests of an operation before it is measured. */
  warmUpRequests: number
  databaseUrl: string
  /** The most memory that the service may use; undefined does not limit it. */
  memoryMebibytes: number | undefined
  /** Only operations whose name contains one of these. */
  only: readonly string[]
}

const peers = resolve(import.meta.dirname, '../peers')

/** Warms the service and its peers up and measures them in alternating rounds. Returns whether every request succeeded. */
export async function compare(options: CompareOptions): Promise<boolean> {
  const { say, rounds, concurrency } = options
  installPeers(say)
  const configuration = await benchConfiguration()
  const targets = await createTargets(options.databaseUrl)
  const { storesCpuSeconds } = targets
  const memory = options.memoryMebibytes === undefined ? undefined : createMemoryLimit(options.memoryMebibytes)
  try {
    say('starting the servers')
    const measurables = await startAll(targets, configuration, { ...options, memory })
    const results = new Map<string, Map<OperationName, Round[]>>(measurables.map(({ name }) => [name, new Map()]))
    const names = [...new Set(measurables.flatMap(({ operations }) => Object.keys(operations) as OperationName[]))].filter(
      (name) => options.only.length === 0 || options.only.some((part) => name.includes(part)),
    )
    say('warming up')
    for (const name of names) {
      for (const { name: target, pid, operations } of measurables) {
        const operation = operations[name]
        if (operation)
          say(`${name}, ${target}: ${await warmUp(operation, { pid, concurrency, storesCpuSeconds }, options.warmUpRequests)} requests`)
      }
    }
    for (let round = 1; round <= rounds; round += 1) {
      say(`round ${round} of ${rounds} (load ${loadavg()[0]?.toFixed(1)})`)
      for (const name of names) {
        // Every other round runs in the opposite order, so that other work of the machine affects all servers equally.
        const order = round % 2 === 0 ? measurables : [...measurables].reverse()
        for (const { name: target, pid, operations } of order) {
          const operation = operations[name]
          if (!operation) continue
          const measured = await measureRound(operation, { pid, concurrency, storesCpuSeconds })
          const { cpu, storesCpu } = summarise([measured])
          say(`${name}, ${target}: ${cpu.toFixed(0)} µs, of it stores ${storesCpu.toFixed(0)}`)
          const all = results.get(target)
          all?.set(name, [...(all.get(name) ?? []), measured])
        }
      }
    }
    const measured: Measured[] = names.flatMap((operation) =>
      measurables.flatMap(({ name: target }) => {
        const own = results.get(target)?.get(operation)
        return own ? [{ operation, target, ...summarise(own) }] : []
      }),
    )
    say(await machine(options))
    say(printTable(measured, service))
    say(`\n${printDetails(measured)}`)
    if (memory) {
      const { peakBytes, kills } = memory.report()
      say(
        `\nmemory with the cache of files: at most ${Math.round(peakBytes / 2 ** 20)} of ${options.memoryMebibytes} MiB, ${kills} processes ended`,
      )
    }
    const failed = measured.filter(({ errors }) => errors > 0)
    for (const { operation, target, errors } of failed) say(`${target}, ${operation}: ${errors} requests failed`)
    return failed.length === 0
  } finally {
    await targets.stop()
    memory?.remove()
    await rm(configuration, { recursive: true, force: true })
  }
}

/** Installs the packages of the peers on the first run. */
function installPeers(say: (line: string) => void): void {
  if (existsSync(join(peers, 'node_modules/better-auth'))) return
  say('installing the peers (bench/peers), once')
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--silent'], { cwd: peers, stdio: 'inherit' })
  if (status !== 0) throw new Error('npm ci in bench/peers failed')
}

/** Writes a configuration with one demo school and without limits. */
async function benchConfiguration(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'schoolgate-bench-config-'))
  await mkdir(join(directory, 'schools'))
  await writeFile(join(directory, 'schools/demo.yaml'), await readFile(resolve(import.meta.dirname, '../../config/schools/demo.yaml')))
  return directory
}

async function machine({ rounds, scale, concurrency }: CompareOptions): Promise<string> {
  const { dependencies } = JSON.parse(await readFile(join(peers, 'package.json'), 'utf8')) as { dependencies: Record<string, string> }
  const versions = ['oidc-provider', 'better-auth', 'koa', 'pg', 'ioredis'].map((name) => `${name} ${dependencies[name]}`).join(', ')
  const [cpu] = cpus()
  const date = new Date().toISOString().slice(0, 10)
  return `\n${date}, ${cpus().length} × ${cpu?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}; ${versions}\n${rounds} rounds, scale ${scale}, concurrency ${concurrency}; CPU in microseconds per request, of the server and the stores; load average at the end ${loadavg()[0]?.toFixed(1)}\n`
}
