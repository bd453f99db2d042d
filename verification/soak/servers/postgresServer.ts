import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { serverUser } from '../../../test/support/cluster.ts'
import { until } from '../../../test/support/poll.ts'
import { freePort } from '../../../test/support/process.ts'
import { suspend } from './suspend.ts'

const run = promisify(execFile)

/** A PostgreSQL with the database `school`, whose owner `school` is an ordinary role, as the service should have. */
export interface PostgresServer {
  port: number
  url: string
  /** `fast` ends the sessions; `immediate` ends without a checkpoint, so that the next start recovers from the log. */
  stop(how: 'fast' | 'immediate'): Promise<void>
  start(): Promise<void>
  freeze(): void
  thaw(): void
  /** Connects as the superuser for the time of the work, without the gate. */
  asSuperuser<Result>(work: (client: Client) => Promise<Result>): Promise<Result>
  /** Stops the server and deletes its data. */
  remove(): Promise<void>
}

export interface PostgresOptions {
  /** The folder of the server's programs. */
  programs: string
  /** A folder on a small disk for the tables of the database. */
  disk?: string | undefined
}

/** A failure may make the database read-only for everybody else. */
const writable = '-c default_transaction_read_only=off'
/** Most connections of the server. Both processes of the service together use 40. */
const maxConnections = 60

const signals = { fast: 'SIGINT', immediate: 'SIGQUIT' } as const

/** Creates and starts a server. Its data survive `stop` and `start`. */
export async function createPostgres({ programs, disk }: PostgresOptions): Promise<PostgresServer> {
  const directory = await mkdtemp(join(tmpdir(), 'schoolgate-postgres-'))
  const [port, owner] = await Promise.all([freePort(), serverUser()])
  if (owner) await chown(directory, owner.uid, owner.gid)
  const data = join(directory, 'data')
  const options = { cwd: directory, ...(owner && { uid: owner.uid, gid: owner.gid }) }
  await run(join(programs, 'initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'], options)
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: directory,
    // A process that is killed loses nothing that it has written; only a machine that stops would.
    fsync: 'off',
    max_connections: maxConnections,
    shared_buffers: '64MB',
    log_min_messages: 'fatal',
  }
  const args = ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
  const connect = async (database: string): Promise<Client> => {
    const client = new Client({ host: '127.0.0.1', port, user: 'postgres', database, connectionTimeoutMillis: 10_000, options: writable })
    client.on('error', () => undefined)
    await client.connect()
    return client
  }
  async function asSuperuser<Result>(work: (client: Client) => Promise<Result>, database = 'school'): Promise<Result> {
    const client = await connect(database)
    try {
      return await work(client)
    } finally {
      await client.end()
    }
  }
  let child: ChildProcess | undefined
  const killed = (): void => void child?.kill('SIGQUIT')
  process.once('exit', killed)
  async function start(): Promise<void> {
    const answers = (): Promise<boolean> => {
      // It refuses to start while a backend of before is still ending.
      if (!child || child.exitCode !== null) child = spawn(join(programs, 'postgres'), args, { ...options, stdio: 'ignore' })
      return asSuperuser(async () => true, 'postgres')
    }
    await until(answers, { what: 'PostgreSQL to answer', deadlineMs: 120_000 })
  }
  async function stop(how: 'fast' | 'immediate'): Promise<void> {
    if (!child || child.exitCode !== null) return
    const exited = once(child, 'exit')
    suspend(child, 'SIGCONT')
    child.kill(signals[how])
    await exited
  }
  await start()
  await asSuperuser(async (client) => {
    await client.query('CREATE ROLE school LOGIN')
    if (disk) {
      // Folders on a mounted disk belong to the server's user.
      await client.query(`COPY (SELECT 1) TO PROGRAM 'mkdir -m 700 ${disk}/${port}'`)
      await client.query(`CREATE TABLESPACE small LOCATION '${disk}/${port}'`)
    }
    await client.query(`CREATE DATABASE school OWNER school${disk ? ' TABLESPACE small' : ''}`)
  }, 'postgres')
  return {
    port,
    url: `postgres://school@127.0.0.1:${port}/school`,
    start,
    stop,
    freeze: () => suspend(child, 'SIGSTOP'),
    thaw: () => suspend(child, 'SIGCONT'),
    asSuperuser: (work) => asSuperuser(work),
    async remove() {
      await stop('immediate')
      process.off('exit', killed)
      await rm(directory, { recursive: true, force: true })
      if (disk) await rm(`${disk}/${port}`, { recursive: true, force: true })
    },
  }
}
