/** A PostgreSQL server for tests that need a separate one: another cluster, a failure, a setting. */
import { execFile } from 'node:child_process'
import { chown, mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface Cluster {
  /** Address of a database on this server. */
  url(database?: string): string
  port: number
  /** Ends a replica's replication: it becomes a primary. */
  promote(): Promise<void>
  /** Ends the server immediately, as a failure of the machine does. */
  crash(): Promise<void>
  /** Stops the server, and removes its data unless they are kept for the next start. */
  stop(): Promise<void>
  /** Stops and starts the server on the same data. */
  restart(): Promise<void>
}

/** The folder of the server's programs; undefined if they are not installed. With REQUIRE_SERVICES=1 their absence is a failure. */
export async function postgresPrograms(): Promise<string | undefined> {
  const versions = await readdir('/usr/lib/postgresql').catch(() => [])
  const newest = versions.toSorted((a, b) => Number(b) - Number(a))[0]
  const candidates = [process.env.TEST_POSTGRES_BIN, newest && `/usr/lib/postgresql/${newest}/bin`].filter((path) => path !== undefined)
  for (const directory of candidates) {
    if (await run(join(directory, 'initdb'), ['--version']).catch(() => undefined)) return directory
  }
  const onPath = await run('pg_config', ['--bindir']).catch(() => undefined)
  const directory = onPath?.stdout.trim()
  if (directory !== undefined && (await run(join(directory, 'initdb'), ['--version']).catch(() => undefined))) return directory
  const message = "PostgreSQL's own programs (initdb, pg_ctl, pg_dump; TEST_POSTGRES_BIN)"
  if (process.env.REQUIRE_SERVICES === '1') throw new Error(`${message} are required and are not installed`)
  process.stderr.write(`NOT RUN: everything that needs ${message}, which are not installed\n`)
  return undefined
}

/** Creates and starts a server on a free port of this machine: an empty one, or a streaming replica of another one. */
export async function startCluster(programs: string, { replicaOf }: { replicaOf?: Cluster } = {}): Promise<Cluster> {
  const directory = await mkdtemp(join(tmpdir(), 'schoolgate-cluster-'))
  const [port, owner] = await Promise.all([freePort(), serverUser()])
  if (owner) await chown(directory, owner.uid, owner.gid)
  const data = join(directory, 'data')
  const program = (name: string, ...args: string[]) =>
    run(join(programs, name), args, { cwd: directory, ...(owner && { uid: owner.uid, gid: owner.gid }) })
  const settings = `-h 127.0.0.1 -p ${port} -k ${directory} -c fsync=off -c max_connections=30 -c shared_buffers=16MB`
  const start = () => program('pg_ctl', 'start', '-w', '-D', data, '-l', join(directory, 'log'), '-o', settings)
  let isRunning = true
  const stop = async (mode = 'fast') => {
    if (isRunning) await program('pg_ctl', 'stop', '-w', '-m', mode, '-D', data)
    isRunning = false
  }
  if (replicaOf) await program('pg_basebackup', '-d', replicaOf.url(), '-D', data, '-R', '-X', 'stream', '-c', 'fast', '--no-sync')
  else await program('initdb', '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync')
  await start()
  return {
    url: (database = 'postgres') => `postgres://postgres@127.0.0.1:${port}/${database}`,
    port,
    promote: async () => void (await program('pg_ctl', 'promote', '-w', '-D', data)),
    crash: () => stop('immediate'),
    async restart() {
      await stop()
      await start()
      isRunning = true
    },
    async stop() {
      await stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** The server refuses to run as root: then it runs as the user that its package created. */
export async function serverUser(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const [uid, gid] = await Promise.all(['-u', '-g'].map(async (option) => Number((await run('id', [option, 'postgres'])).stdout)))
  return { uid: uid as number, gid: gid as number }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no free port')
  return address.port
}
