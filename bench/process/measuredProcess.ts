import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Client, createClient } from '../compare/client.ts'
import { usageOf } from '../compare/processUsage.ts'
import { freePort } from '../compare/targets.ts'

const root = resolve(import.meta.dirname, '../..')
const preload = pathToFileURL(resolve(import.meta.dirname, 'reportUsage.mjs')).href

/** A process of the service that reports its own memory and CPU. */
export interface MeasuredProcess {
  pid: number
  origin: string
  client: Client
  admin: Client
  /** Milliseconds from its start until it was ready, and its CPU until then. */
  readyMs: number
  startCpuMs: number
  /** Milliseconds of CPU of all its threads since its start. */
  cpuMs(): Promise<number>
  /** Resident memory as the system reports it now, in bytes. */
  residentBytes(): number
  /** Memory after a garbage collection, in bytes. */
  memory(): Promise<NodeJS.MemoryUsage>
  snapshot(file: string): Promise<void>
  stop(): Promise<void>
}

export interface ProcessOptions {
  /** A script of the project, or of a peer. */
  script?: string
  environment: Record<string, string>
  /** Path that responds with 200 as soon as the process is ready: at the admin port for the service. */
  readyPath?: string
  /** Options of Node. */
  execArgv?: readonly string[]
}

/** Starts the service with a channel for its measurements, and waits until it is ready. */
export async function startMeasured({ script, environment, readyPath, execArgv = [] }: ProcessOptions): Promise<MeasuredProcess> {
  const [port, adminPort] = [await freePort(), await freePort()]
  const start = performance.now()
  const child = fork(script ?? join(root, 'src/main.mjs'), [], {
    cwd: root,
    execArgv: ['--import', preload, ...execArgv],
    stdio: ['ignore', 'ignore', process.env.BENCH_DEBUG ? 'inherit' : 'ignore', 'ipc'],
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: String(port), ADMIN_PORT: String(adminPort), ...environment },
  })
  const origin = `http://127.0.0.1:${port}`
  const [client, admin] = [createClient(origin), createClient(`http://127.0.0.1:${adminPort}`)]
  await untilReady(child, readyPath === undefined ? () => admin.send('/readyz') : () => client.send(readyPath))
  const readyMs = performance.now() - start
  const ask = async <Reply>(message: string): Promise<Reply> => {
    child.send(message)
    const [reply] = (await once(child, 'message')) as [Reply]
    return reply
  }
  const cpuMs = async (): Promise<number> => {
    const { cpu } = await ask<{ cpu: NodeJS.CpuUsage }>('usage')
    return (cpu.user + cpu.system) / 1000
  }
  return {
    pid: child.pid ?? 0,
    origin,
    client,
    admin,
    readyMs,
    startCpuMs: await cpuMs(),
    cpuMs,
    residentBytes: () => usageOf(child.pid ?? 0).memoryMegabytes * 2 ** 20,
    memory: async () => (await ask<{ memory: NodeJS.MemoryUsage }>('memory')).memory,
    snapshot: async (file) => void (await ask(`snapshot ${file}`)),
    async stop() {
      for (const one of [client, admin]) one.close()
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGINT')
      const force = setTimeout(() => child.kill('SIGKILL'), 15_000)
      await ended
      clearTimeout(force)
    },
  }
}

async function untilReady(child: ChildProcess, ask: () => Promise<{ status: number }>): Promise<void> {
  const deadline = performance.now() + 600_000
  while (performance.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`the process ended with ${child.exitCode}; set BENCH_DEBUG=1 to see its output`)
    const isReady = await ask().then(
      ({ status }) => status === 200,
      () => false,
    )
    if (isReady) return
    await new Promise((resume) => setTimeout(resume, 20))
  }
  throw new Error('the process was not ready within ten minutes')
}

/** The folders of a run: a configuration with this many empty schools, and the data. */
export interface BenchHome {
  config: string
  data: string
  /** The `Host` header of each school. */
  hosts: readonly string[]
  remove(): Promise<void>
}

/** Writes the configuration of a number of schools without courses. Each has its own loopback address as its host. */
export async function createHome(schools: number): Promise<BenchHome> {
  const directory = await mkdtemp(join(tmpdir(), 'schoolgate-bench-'))
  const [config, data] = [join(directory, 'config'), join(directory, 'data')]
  await mkdir(join(config, 'schools'), { recursive: true })
  const hosts: string[] = []
  for (let index = 0; index < schools; index += 1) {
    const host = `127.1.${Math.floor(index / 250)}.${(index % 250) + 1}`
    hosts.push(host)
    const lines = [`issuer: http://${host}`, 'defaults:', `  name: School ${index}`, '  locale: en', '  time_zone: UTC', '  currency: EUR']
    await writeFile(join(config, `schools/school-${index}.yaml`), `${lines.join('\n')}\n`)
  }
  return { config, data, hosts, remove: () => rm(directory, { recursive: true, force: true }) }
}

/** The root secret of every service that a benchmark starts. */
export const benchSecret = 'the root secret of a benchmark and long enough for it'

/** The environment of a process of the service in a run. */
export const serviceEnvironment = ({ config, data }: BenchHome, stores: Record<string, string>): Record<string, string> => ({
  CONFIG_DIR: config,
  DATA_DIR: data,
  SECRET_KEY: benchSecret,
  RATE_LIMITS: 'off',
  LOG_LEVEL: 'warn',
  ...stores,
})
