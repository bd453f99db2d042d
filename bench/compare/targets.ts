import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Client as PostgresClient } from 'pg'
import { type Client, createClient } from './client.ts'
import { cpuOfFamily, parentOf } from './processUsage.ts'

const root = resolve(import.meta.dirname, '../..')
const peers = join(root, 'bench/peers')

/** A server under measurement. */
export interface Target {
  name: string
  pid: number
  origin: string
  client: Client
}

/** The servers and databases of a run, which `stop` removes. */
export interface Targets {
  redisUrl: string
  /** Returns the CPU seconds of the sessions of this run's databases and of its Redis server. */
  storesCpuSeconds(): number
  database(): Promise<string>
  start(name: string, command: readonly string[], environment: Record<string, string>, ready: string): Promise<Target>
  stop(): Promise<void>
}

/**
 * Prepares throwaway databases on the PostgreSQL server of `serverUrl`, and a separate Redis server for this run.
 * @throws Error if the server does not analyse its tables
 */
export async function createTargets(serverUrl: string): Promise<Targets> {
  const postmaster = await postmasterOf(serverUrl)
  const children: ChildProcess[] = []
  const databases: string[] = []
  const directory = await mkdtemp(join(tmpdir(), 'schoolgate-bench-'))
  const redisPort = await freePort()
  const redis = launch('redis-server', ['--port', String(redisPort), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'], {})

  function launch(file: string, args: readonly string[], environment: Record<string, string>, cwd = directory): ChildProcess {
    const child = spawn(file, args, {
      cwd,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment },
    })
    child.stderr?.on('data', (chunk: Buffer) => process.env.BENCH_DEBUG && process.stderr.write(chunk))
    child.on('error', (error) => process.stderr.write(`${file}: ${error.message}\n`))
    children.push(child)
    return child
  }

  return {
    redisUrl: `redis://127.0.0.1:${redisPort}`,
    storesCpuSeconds: () => cpuOfFamily(redis.pid ?? 0) + (postmaster === undefined ? 0 : cpuOfFamily(postmaster, databases)),
    async database() {
      const name = `schoolgate_bench_${randomBytes(6).toString('hex')}`
      await onServer(serverUrl, `CREATE DATABASE ${name}`)
      databases.push(name)
      const url = new URL(serverUrl)
      url.pathname = `/${name}`
      return url.href
    },
    async start(name, [file = '', ...args], environment, ready) {
      const port = await freePort()
      const adminPort = await freePort()
      const own = { PORT: String(port), ADMIN_PORT: String(adminPort), DATA_DIR: join(directory, name.replaceAll(/\W/g, '')) }
      const child = launch(file, args, { ...own, ...environment }, name === 'Schoolgate' ? root : peers)
      const origin = `http://127.0.0.1:${port}`
      const client = createClient(origin)
      const deadline = Date.now() + 120_000
      while (
        !(await client.send(ready).then(
          ({ status }) => status === 200,
          () => false,
        ))
      ) {
        if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}; set BENCH_DEBUG=1 to see its output`)
        if (Date.now() > deadline) throw new Error(`${name} was not ready within two minutes`)
        await new Promise((resume) => setTimeout(resume, 100))
      }
      return { name, pid: child.pid ?? 0, origin, client }
    },
    async stop() {
      await Promise.all(children.map((child) => ended(child)))
      for (const name of databases) await onServer(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Ends a process: SIGTERM, and SIGKILL after ten seconds. */
async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const exit = new Promise((resume) => child.once('exit', resume))
  child.kill('SIGTERM')
  const force = setTimeout(() => child.kill('SIGKILL'), 10_000)
  await exit
  clearTimeout(force)
}

/** Returns the process of a PostgreSQL server on this machine. Without autovacuum it keeps the plans that it made for empty tables. */
async function postmasterOf(url: string): Promise<number | undefined> {
  const client = new PostgresClient({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ pid: number; autovacuum: string }>(
      "SELECT pg_backend_pid() AS pid, current_setting('autovacuum') AS autovacuum",
    )
    if (rows[0]?.autovacuum === 'off')
      throw new Error('autovacuum is off on this PostgreSQL server: run ALTER SYSTEM SET autovacuum = on and SELECT pg_reload_conf()')
    return rows[0] && parentOf(rows[0].pid)
  } finally {
    await client.end()
  }
}

/** Runs statements on a database. */
export async function onServer(url: string, ...statements: readonly string[]): Promise<void> {
  const client = new PostgresClient({ connectionString: url })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Returns a port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resume) => server.listen(0, '127.0.0.1', resume))
  const address = server.address()
  await new Promise((resume) => server.close(resume))
  if (address === null || typeof address === 'string') throw new Error('no free port')
  return address.port
}
