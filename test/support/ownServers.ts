/** Store servers that belong to one test file, so that it can fill, freeze and stop them. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Redis } from 'ioredis'
import { Client } from 'pg'
import { until } from './poll.ts'
import { freePort } from './process.ts'

const run = promisify(execFile)
const isRoot = process.getuid?.() === 0
/** PostgreSQL refuses to run as root. */
const asUser = isRoot ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : []

/** True when the programs exist that `ownRedis` and `ownPostgres` start. */
export async function hasOwnServers(): Promise<boolean> {
  try {
    await Promise.all([run('redis-server', ['--version']), run('initdb', ['--version']), run('unshare', ['--version'])])
    return true
  } catch (cause) {
    if (process.env.REQUIRE_SERVICES === '1') throw new Error('redis-server, initdb and unshare are required', { cause })
    process.stderr.write('NOT RUN: tests that start their own servers need redis-server, initdb and unshare\n')
    return false
  }
}

export interface OwnServer {
  url: string
  /** Suspends the process: connections stay open without a response. */
  freeze(): void
  thaw(): void
  /** Ends the process and removes its data. */
  stop(): Promise<void>
}

/** A Redis without a file on disk. `maxmemory` can be changed later with CONFIG SET. */
export async function ownRedis(): Promise<OwnServer & { client: Redis }> {
  const port = await freePort()
  const child = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'], {
    stdio: 'ignore',
  })
  const url = `redis://127.0.0.1:${port}`
  const client = new Redis(url, { retryStrategy: () => 50, maxRetriesPerRequest: null })
  client.on('error', () => undefined)
  await until(async () => (await client.ping()) === 'PONG', { what: 'the own Redis to answer' })
  const { freeze, thaw, end } = control(child)
  return {
    url,
    client,
    freeze,
    thaw,
    async stop() {
      client.disconnect()
      await end()
    },
  }
}

/** Size of the disk that `ownPostgres` gives to a database. */
const diskMegabytes = 64

/**
 * A PostgreSQL with an empty database whose tables are on a small separate disk. The disk is mounted in a name space that ends with
 * the server.
 */
export async function ownPostgres(): Promise<OwnServer & { admin: Client }> {
  const directory = await mkdtemp(join(tmpdir(), 'schoolgate-postgres-'))
  const [data, disk] = [join(directory, 'data'), join(directory, 'disk')]
  await run('mkdir', [data, disk])
  await chmod(directory, 0o755)
  if (isRoot) await run('chown', ['-R', 'postgres:postgres', directory])
  const [command = 'initdb', ...before] = [...asUser, 'initdb']
  await run(command, [...before, '-D', data, '--no-sync', '--no-locale', '-E', 'UTF8', '-A', 'trust', '-U', 'postgres'])
  const port = await freePort()
  const options = { port, listen_addresses: '127.0.0.1', unix_socket_directories: directory, fsync: 'off', max_connections: 60 }
  const start = `mount -t tmpfs -o size=${diskMegabytes}m tmpfs '${disk}' && chmod 777 '${disk}' && exec "$@"`
  const server = [...asUser, 'postgres', '-D', data, ...Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
  const child = spawn('unshare', [...(isRoot ? [] : ['--map-current-user']), '--mount', 'sh', '-c', start, 'sh', ...server], {
    stdio: 'ignore',
  })
  const admin = await until(() => connect(port, 'postgres'), { what: 'the own PostgreSQL to answer' })
  // Folders on a mounted disk belong to the server's user.
  await admin.query(`COPY (SELECT 1) TO PROGRAM 'mkdir -m 700 ${disk}/space'`)
  await admin.query(`CREATE TABLESPACE small LOCATION '${disk}/space'`)
  await admin.query('CREATE DATABASE school TABLESPACE small')
  const { freeze, thaw, end } = control(child)
  return {
    url: `postgres://postgres@127.0.0.1:${port}/school`,
    admin,
    freeze,
    thaw,
    async stop() {
      thaw()
      await admin.end()
      await end()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

async function connect(port: number, database: string): Promise<Client> {
  const client = new Client({ host: '127.0.0.1', port, user: 'postgres', database })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

function control(child: ChildProcess): Pick<OwnServer, 'freeze' | 'thaw'> & { end(): Promise<void> } {
  const exited = once(child, 'exit')
  const signal = (name: NodeJS.Signals): void => {
    const { pid } = child
    if (pid === undefined || child.exitCode !== null) return
    process.kill(pid, name)
    for (const backend of childrenOf(pid)) {
      try {
        process.kill(backend, name)
      } catch (error) {
        // A backend can end between the list and its signal.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
      }
    }
  }
  return {
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    async end() {
      child.kill('SIGINT')
      await exited
    },
  }
}

/** Process ids of the children. PostgreSQL serves each connection by one. */
function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return text.split(' ').filter(Boolean).map(Number)
}
