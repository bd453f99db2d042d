import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { until } from '../../../test/support/poll.ts'
import type { Installation } from '../installation.ts'
import { createPostgres } from '../servers/postgresServer.ts'
import { createRedis } from '../servers/redisServer.ts'
import { anyFailure, type Failure, rejections } from './failure.ts'
import { emulateFullDisk, fillDisk } from './fullDatabase.ts'
import { schoolgate } from './schoolgate.ts'

const run = promisify(execFile)

const endSessions = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'school'`

/** Failures of PostgreSQL. */
export const postgresFailures: Failure[] = [
  {
    name: 'PostgreSQL stopped',
    cause: 'the server stops',
    undo: 'the server starts',
    allowed: rejections,
    holdMs: 8000,
    async run({ postgres }) {
      await postgres.stop('fast')
      return () => postgres.start()
    },
  },
  {
    name: 'PostgreSQL restarted',
    cause: 'the server ends without a checkpoint, and starts again immediately',
    undo: '–',
    allowed: rejections,
    holdMs: 1000,
    async run({ postgres }) {
      await postgres.stop('immediate')
      await postgres.start()
      return async () => undefined
    },
  },
  {
    name: 'PostgreSQL frozen',
    cause: 'SIGSTOP to the server and its backends',
    undo: 'SIGCONT',
    allowed: rejections,
    holdMs: 8000,
    async run({ postgres }) {
      postgres.freeze()
      return async () => postgres.thaw()
    },
  },
  {
    name: 'PostgreSQL full',
    cause: 'a table fills the disk of the database; without mounts, triggers that raise 53100 (disk_full)',
    undo: 'the table or the triggers are dropped',
    allowed: rejections,
    holdMs: 6000,
    async run({ disks, postgres }) {
      // Kept open: on a full disk PostgreSQL may refuse a new session.
      const client = new Client({ host: '127.0.0.1', port: postgres.port, user: 'postgres', database: 'school' })
      client.on('error', () => undefined)
      await client.connect()
      const undo = await (disks ? fillDisk : emulateFullDisk)(client)
      return async () => {
        await undo(client)
        await client.end()
      }
    },
  },
  {
    name: 'PostgreSQL read-only',
    cause: '`default_transaction_read_only = on`, and the end of all sessions, as after a failover to a standby',
    undo: '`RESET default_transaction_read_only`',
    allowed: rejections,
    holdMs: 6000,
    async run({ postgres }) {
      const set = (value: string) => async (client: Client) => {
        await client.query(`ALTER DATABASE school ${value}`)
        await client.query(endSessions)
      }
      await postgres.asSuperuser(set('SET default_transaction_read_only = on'))
      return () => postgres.asSuperuser((client) => client.query('ALTER DATABASE school RESET default_transaction_read_only'))
    },
  },
  {
    name: 'PostgreSQL slow',
    cause: 'a delay of 100 ms in both directions',
    undo: 'no delay',
    allowed: rejections,
    holdMs: 8000,
    async run({ gates }) {
      gates.postgres.slow(100)
      return async () => gates.postgres.restore()
    },
  },
  {
    name: 'lock held',
    cause: 'a transaction that locks every row of a table: `course`, `person`, `oidc_client`, `oidc_grant` or `outbox`',
    undo: 'the transaction ends',
    allowed: rejections,
    holdMs: 6000,
    async run({ postgres }, random) {
      const client = new Client({ host: '127.0.0.1', port: postgres.port, user: 'postgres', database: 'school' })
      await client.connect()
      await client.query('BEGIN')
      const table = random.pick(['course', 'person', 'oidc_client', 'oidc_grant', 'outbox'])
      await client.query(`SELECT 1 FROM ${table} FOR UPDATE`)
      return () => client.end()
    },
  },
  {
    name: 'connections exhausted',
    cause: 'other sessions take every connection of PostgreSQL, also those that the service had',
    undo: 'they end',
    allowed: rejections,
    holdMs: 5000,
    async run({ postgres }) {
      const held: Client[] = []
      await until(() => takeConnections(postgres, held), { what: 'others to have every connection' })
      return () => Promise.all(held.map((client) => client.end()))
    },
  },
  {
    name: 'restore into a new server',
    cause: 'both processes stop, `pg_dump`, a new PostgreSQL with `pg_restore`, an empty Redis, as docs/deploy.md describes',
    undo: 'both processes start with the new servers, and `schoolgate outbox release` sends what they hold',
    allowed: anyFailure,
    forgets: 'redis',
    holdMs: 0,
    async run(installation) {
      await Promise.all([0, 1].map((index) => installation.stopProcess(index)))
      await moveDatabase(installation)
      return async () => {
        await Promise.all([0, 1].map((index) => installation.start(index)))
        await schoolgate(installation, 'outbox', 'release', '--yes')
      }
    },
  },
]

async function takeConnections(postgres: Installation['postgres'], held: Client[]): Promise<boolean> {
  for (;;) {
    const client = new Client({ connectionString: `${postgres.url}?application_name=others` })
    client.on('error', () => undefined)
    try {
      await client.connect()
    } catch (error) {
      if ((error as { code?: string }).code !== '53300') throw error
      break
    }
    held.push(client)
  }
  return postgres.asSuperuser(async (client) => {
    const { rowCount } = await client.query(`${endSessions} AND application_name <> 'others'`)
    return rowCount === 0
  })
}

async function moveDatabase(installation: Installation): Promise<void> {
  const { postgres: old, redis: oldRedis, programs, disks, home, gates } = installation
  const dump = join(home.directory, 'schoolgate.dump')
  await run(join(programs, 'pg_dump'), ['--format=custom', `--file=${dump}`, old.url])
  installation.postgres = await createPostgres({ programs, disk: disks?.database })
  await run(join(programs, 'pg_restore'), ['--no-owner', '--exit-on-error', `--dbname=${installation.postgres.url}`, dump])
  await rm(dump)
  installation.redis = await createRedis()
  gates.postgres.lead(installation.postgres.port)
  gates.redis.lead(installation.redis.port)
  await Promise.all([old.remove(), oldRedis.remove()])
}
