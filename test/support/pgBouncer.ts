/** PgBouncer in front of the PostgreSQL of the tests. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { until } from './poll.ts'
import { freePort } from './process.ts'

const run = promisify(execFile)

export interface PgBouncer {
  /** Returns the URL of a database through PgBouncer. */
  through(databaseUrl: string): string
  host: string
  stop(): Promise<void>
}

/** True if PgBouncer is installed. With REQUIRE_SERVICES=1 its absence is a failure. */
export async function hasPgBouncer(): Promise<boolean> {
  try {
    await run('pgbouncer', ['--version'])
    return true
  } catch (cause) {
    if (process.env.REQUIRE_SERVICES === '1') throw new Error('pgbouncer is required', { cause })
    process.stderr.write('NOT RUN: tests behind PgBouncer need pgbouncer (apt-get install pgbouncer)\n')
    return false
  }
}

/** As `docs/deploy.md` describes it: settings of a session are ignored in session mode only. */
const settingsOf = { session: { ignore_startup_parameters: 'options' }, transaction: {} } as const

/** Starts PgBouncer with all databases of the server. `ignored`: startup parameters that it drops instead of refusing them. */
export async function startPgBouncer(
  mode: 'session' | 'transaction',
  target: string,
  more: Record<string, string> = {},
): Promise<PgBouncer> {
  const directory = await mkdtemp(join(tmpdir(), 'schoolgate-pgbouncer-'))
  const port = await freePort()
  const server = new URL(target)
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    pool_mode: mode,
    auth_type: 'any',
    max_client_conn: 2000,
    default_pool_size: mode === 'session' ? 60 : 12,
    admin_users: 'postgres',
    server_login_retry: 1,
    server_idle_timeout: 5,
    ...settingsOf[mode],
    ...more,
  }
  const login = `user=${server.username || 'postgres'}${server.password ? ` password=${decodeURIComponent(server.password)}` : ''}`
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`)
  const file = join(directory, 'pgbouncer.ini')
  await writeFile(file, `[databases]\n* = host=${server.hostname} port=${server.port || 5432} ${login}\n[pgbouncer]\n${lines.join('\n')}\n`)
  const owner = process.getuid?.() === 0 ? Number((await run('id', ['-u', 'postgres'])).stdout) : undefined
  if (owner !== undefined) for (const path of [directory, file]) await chown(path, owner, -1)
  await chmod(directory, 0o700)
  const child = spawn('pgbouncer', ['--quiet', file], { stdio: 'ignore', ...(owner !== undefined && { uid: owner }) })
  const endWithTests = (): void => void child.kill('SIGKILL')
  process.once('exit', endWithTests)
  const host = `127.0.0.1:${port}`
  const through = (databaseUrl: string): string => {
    const url = new URL(databaseUrl)
    url.host = host
    url.searchParams.set('pooler', mode)
    return url.toString()
  }
  const responds = async (): Promise<boolean> => {
    if (child.exitCode !== null) throw new Error('pgbouncer ended')
    const client = new Client({ host: '127.0.0.1', port, user: 'postgres', database: 'pgbouncer' })
    await client.connect()
    await client.end()
    return true
  }
  await until(responds, { what: 'PgBouncer to respond' })
  return {
    host,
    through,
    async stop() {
      process.off('exit', endWithTests)
      const exited = once(child, 'exit')
      child.kill('SIGINT')
      // A client that is still connected would keep it waiting.
      child.kill('SIGTERM')
      await exited
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** The limits that the role of a database needs in transaction mode. They belong to the database here, so that tests do not share them. */
export async function setSessionLimits(databaseUrl: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  const name = new URL(databaseUrl).pathname.slice(1)
  for (const setting of ["statement_timeout = '60s'", "lock_timeout = '2s'", "idle_in_transaction_session_timeout = '60s'"]) {
    await client.query(`ALTER DATABASE ${name} SET ${setting}`)
  }
  await client.end()
}
