import { once } from 'node:events'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isOutage } from '../../src/base/process/outage.ts'
import type { Lane } from '../../src/database/connection/database.ts'
import { openDatabase } from '../../src/database/connection/openDatabase.ts'
import { withinDeadline } from '../../src/database/connection/withinDeadline.ts'
import { migrate } from '../../src/database/migrations/migrate.ts'
import { availableServices, migrationsDirectory, throwawayPostgres } from '../support/databases.ts'
import { until } from '../support/poll.ts'

const { postgresql } = await availableServices()

/** Resolves when the work fails. */
const rejected = (work: Promise<unknown>): Promise<true> =>
  work.then(
    () => Promise.reject(new Error('it succeeded')),
    () => true,
  )

describe.runIf(postgresql)('a database on a PostgreSQL server', () => {
  test('survives the loss of every connection, also in the middle of a transaction, and says so', async () => {
    const { url, drop } = await throwawayPostgres()
    const errors: Error[] = []
    const database = await openDatabase({ databaseUrl: url, dataDirectory: tmpdir(), onError: (error) => errors.push(error) })
    const operator = await openDatabase({ databaseUrl: url, dataDirectory: tmpdir() })
    const cutAll = () =>
      operator.sql.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      )
    await database.ping()
    const work = database.transaction(async (_, sql) => {
      await sql.query(
        `INSERT INTO school (id, slug, name, locale, time_zone, currency) VALUES (gen_random_uuid(), 's', 'n', 'en', 'UTC', 'EUR')`,
      )
      await cutAll()
      await until(() => errors.length > 0, { what: 'the loss is reported' })
      return await sql.query('SELECT 1')
    })
    await expect(work).rejects.toThrow()
    await database.ping()
    expect(await database.sql.query('SELECT slug FROM school')).toEqual([])

    const { promise: held, resolve: hold } = Promise.withResolvers<void>()
    const exclusive = database.exclusively('job', async () => {
      hold()
      const before = errors.length
      await cutAll()
      await until(() => errors.length > before, { what: 'the loss of the lock is reported' })
    })
    await held
    await exclusive
    await until(() => database.ping().then(() => true), { what: 'the next query has a new connection' })
    await Promise.all([database.close(), operator.close()])
    await drop()
  })

  test('reports the loss of an idle connection once', async () => {
    const { url, drop } = await throwawayPostgres()
    const errors: Error[] = []
    const database = await openDatabase({ databaseUrl: url, dataDirectory: tmpdir(), onError: (error) => errors.push(error) })
    const operator = await openDatabase({ databaseUrl: url, dataDirectory: tmpdir() })
    const [{ pid } = { pid: 0 }] = await database.sql.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    await operator.sql.query('SELECT pg_terminate_backend($1)', [pid])
    await until(() => database.figures().pools.every(({ idle }) => idle === 0), { what: 'the connection to leave the pool' })
    expect(errors).toHaveLength(1)
    expect(database.figures().lostConnections).toBe(1)
    await Promise.all([database.close(), operator.close()])
    await drop()
  })

  test('keeps its connection when a statement fails', async () => {
    const { url, drop } = await throwawayPostgres()
    const database = await openDatabase({ databaseUrl: url, dataDirectory: tmpdir(), poolSize: 1 })
    const connection = async () => (await database.sql.query<{ pid: number }>('SELECT pg_backend_pid() AS pid'))[0]?.pid
    const before = await connection()
    await expect(database.sql.query('SELECT 1 / 0', [], 'fails')).rejects.toMatchObject({ code: '22012' })
    expect(await connection()).toBe(before)
    await database.close()
    await drop()
  })

  test('prepares a named statement once and uses it again', async () => {
    const { url, drop } = await throwawayPostgres()
    const database = await openDatabase({ databaseUrl: url, dataDirectory: tmpdir(), poolSize: 1 })
    for (const value of [1, 2, 3]) await database.sql.query('SELECT $1::int AS value', [value], 'value_select')
    expect(await database.sql.query(`SELECT name, (generic_plans + custom_plans)::int AS uses FROM pg_prepared_statements`)).toEqual([
      { name: 'value_select', uses: 3 },
    ])
    await database.close()
    await drop()
  })

  test('does exclusive work with a pool of one, and with a time zone and limits in the address', async () => {
    const { url, drop } = await throwawayPostgres()
    const databaseUrl = `${url}?options=${encodeURIComponent('-c TimeZone=Asia/Tokyo -c statement_timeout=7s')}`
    const database = await openDatabase({ databaseUrl, dataDirectory: tmpdir(), poolSize: 1 })
    const work = database.exclusively('job', () =>
      database.sql.query(`SELECT current_setting('TimeZone') AS zone, current_setting('statement_timeout') AS timeout`),
    )
    expect(await withinDeadline(work, 2000, 'the work')).toEqual([{ zone: 'UTC', timeout: '7s' }])
    await database.close()
    await drop()
  })

  test('limits statements and waits for locks by kind of work, a migration included', async () => {
    const { url, drop } = await throwawayPostgres()
    const database = await openDatabase({ databaseUrl: url, dataDirectory: tmpdir() })
    const limits = `SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock`
    const limitsOf = async (lane: Lane) => (await database.lane(lane).sql.query(limits))[0]
    expect(await limitsOf('api')).toEqual({ statement: '10s', lock: '2s' })
    expect(await limitsOf('authorization')).toEqual({ statement: '5s', lock: '2s' })
    expect(await limitsOf('background')).toEqual({ statement: '1min', lock: '5s' })
    const directory = await mkdtemp(join(tmpdir(), 'schoolgate-migrations-'))
    await cp(migrationsDirectory, directory, { recursive: true })
    await mkdir(join(directory, '29990101000000_limits'))
    await writeFile(join(directory, '29990101000000_limits/migration.sql'), `CREATE TABLE limits AS ${limits}`)
    await migrate(database, directory)
    expect(await database.sql.query('SELECT * FROM limits')).toEqual([{ statement: '0', lock: '500ms' }])
    await rm(directory, { recursive: true })
    await database.close()
    await drop()
  })

  test('keeps connections for each kind of work, and some for reads: changes that wait use up neither', async () => {
    const { url, drop } = await throwawayPostgres()
    const sizes = { poolSize: 4, authorizationPoolSize: 2, backgroundPoolSize: 1 }
    const database = await openDatabase({ databaseUrl: url, dataDirectory: tmpdir(), ...sizes })
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    let running = 0
    const changes = Array.from({ length: 8 }, () =>
      database.transaction(async (_writer, sql) => {
        running += 1
        await sql.query('SELECT 1')
        await held
      }),
    )
    const outcomes = Promise.allSettled(changes)
    await until(() => running === 3, { what: 'three of four connections to be used by changes' })
    expect(await database.sql.query('SELECT 1 AS one')).toEqual([{ one: 1 }])
    for (const lane of ['authorization', 'background'] as const) {
      expect(await database.lane(lane).transaction(async (_writer, sql) => sql.query('SELECT 1 AS one'))).toEqual([{ one: 1 }])
    }
    await database.ping()
    // Those that found no place in time are outages, which callers repeat.
    await Promise.any(changes.map(rejected))
    expect(running).toBe(3)
    release()
    const failed = (await outcomes).filter((outcome) => outcome.status === 'rejected')
    expect(failed).toHaveLength(5)
    for (const { reason } of failed) expect(isOutage(reason)).toBe(true)
    await database.close()
    await drop()
  })

  test('keeps exclusive work to one of several processes', async () => {
    const { url, drop } = await throwawayPostgres()
    const [one, other] = await Promise.all([1, 2].map(() => openDatabase({ databaseUrl: url, dataDirectory: tmpdir() })))
    if (!one || !other) throw new Error('two databases')
    expect(await one.exclusively('job', () => other.exclusively('job', async () => 'ran'))).toBeUndefined()
    await Promise.all([one.close(), other.close()])
    await drop()
  })
})

test('a server that accepts and never answers fails a ping after two seconds', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const database = await openDatabase({ databaseUrl: `postgres://nobody@127.0.0.1:${port}/none`, dataDirectory: tmpdir() })
  const began = performance.now()
  await expect(database.ping()).rejects.toThrow('did not answer within 2000 ms')
  expect(performance.now() - began).toBeLessThan(4000)
  // A query waits a little longer, and not for ever.
  await expect(database.sql.query('SELECT 1')).rejects.toThrow(/timeout/)
  silent.close()
  await database.close()
})

test('an address that is not a PostgreSQL address is rejected with the expected form', async () => {
  for (const databaseUrl of ['', 'mysql://127.0.0.1/school', '/var/lib/school']) {
    await expect(openDatabase({ databaseUrl, dataDirectory: tmpdir() })).rejects.toThrow('DATABASE_URL must begin with postgres://')
  }
})
