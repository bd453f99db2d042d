import { tmpdir } from 'node:os'
import { afterEach, describe, expect, test } from 'vitest'
import { createLog } from '../../src/base/log/log.ts'
import { openDatabase } from '../../src/database/connection/openDatabase.ts'
import { waitForDatabase } from '../../src/operate/serve/waitForStores.ts'
import { availableServices, throwawayPostgres } from '../../test/support/databases.ts'
import { hasPgBouncer, setSessionLimits, startPgBouncer } from '../../test/support/pgBouncer.ts'
import { until } from '../../test/support/poll.ts'
import { startService } from '../../test/support/service.ts'
import { completeJourney } from './journey.ts'

const { postgresql } = await availableServices()
const undo: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

async function behindPgBouncer(mode: 'session' | 'transaction', settings: Record<string, string> = {}) {
  const { url, drop } = await throwawayPostgres()
  undo.push(drop)
  const pgBouncer = await startPgBouncer(mode, url, settings)
  undo.push(() => pgBouncer.stop())
  return { direct: url, url: pgBouncer.through(url) }
}

const open = async (databaseUrl: string) => {
  const database = await openDatabase({ databaseUrl, dataDirectory: tmpdir(), poolSize: 3 })
  undo.push(() => database.close())
  return database
}

const start = async (databaseUrl: string): Promise<unknown> => {
  const environment = { DATABASE_URL: databaseUrl, DATA_DIR: tmpdir(), START_TIMEOUT_SECONDS: 1 } as Parameters<
    typeof waitForDatabase
  >[0]['environment']
  const opening = waitForDatabase({ environment, log: createLog('silent'), deadline: performance.now() + 1000, onWaiting: () => undefined })
  return opening.then(
    async (database) => void (await database.close()),
    (error: Error) => error.message,
  )
}

describe.runIf(postgresql && (await hasPgBouncer())).each(['session', 'transaction'] as const)('behind PgBouncer in %s mode', (mode) => {
  test('a person signs in, refreshes and revokes', async () => {
    const { direct, url } = await behindPgBouncer(mode)
    if (mode === 'transaction') await setSessionLimits(direct)
    expect(await start(url)).toBeUndefined()
    const service = await startService({ database: await open(url) })
    undo.push(() => service.stop())
    await service.addPerson({ email: 'learner@example.org' })
    await completeJourney(service, service.issuer, 'learner@example.org')
  })

  test('one of two processes runs a job, however many connections PgBouncer has, and its end frees the lock', async () => {
    const { url } = await behindPgBouncer(mode)
    const [one, other] = [await open(url), await open(url)]
    const { promise, resolve } = Promise.withResolvers<void>()
    let isRunning = false
    const running = one.exclusively('a job', async () => {
      isRunning = true
      await promise
      return 'done'
    })
    await until(() => isRunning, { what: 'the job to run' })
    for (let round = 0; round < 5; round += 1) expect(await other.exclusively('a job', async () => 'twice')).toBeUndefined()
    resolve()
    expect(await running).toBe('done')
    await until(async () => (await other.exclusively('a job', async () => 'next')) === 'next', { what: 'the lock to be free' })
  })

  test('times are UTC, scripts and the check of writes work, and no statement is left on a connection of another client', async () => {
    const { url } = await behindPgBouncer(mode, mode === 'transaction' ? { default_pool_size: '4' } : {})
    const [one, other] = [await open(url), await open(url)]
    for (let run = 0; run < 6; run += 1) {
      const texts = [one, other].map(({ sql }) =>
        sql.query<{ zone: string }>(`SELECT current_setting('TimeZone') AS zone WHERE $1::int = ${run % 2}`, [run % 2]),
      )
      for (const [row] of await Promise.all(texts)) expect(row?.zone).toBe('UTC')
      await Promise.all([one.ping(), other.ping()])
    }
    const rows = await one.script(async (script) => {
      await script.query('CREATE TEMPORARY TABLE copied (name text) ON COMMIT DROP')
      await script.runFile(`INSERT INTO copied VALUES ('ada'), ('juno')`)
      return await script.query<{ count: number }>('SELECT count(*)::int AS count FROM copied')
    })
    expect(rows).toEqual([{ count: 2 }])
  })

  test('the end-to-end limits of a statement apply', async () => {
    const { direct, url } = await behindPgBouncer(mode)
    await setSessionLimits(direct)
    const [row] = await (await open(url)).sql.query<{ statement: string; lock: string }>(
      `SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock`,
    )
    expect(row).toEqual({ statement: mode === 'session' ? '10s' : '1min', lock: '2s' })
  })
})

describe.runIf(postgresql && (await hasPgBouncer()))('a pooler that is not configured is reported with the way out', () => {
  const without = (url: string): string => url.replace(/\?pooler=\w+/, '')

  test.each([
    ['refuses the settings', {}],
    ['drops the settings', { ignore_startup_parameters: 'options' }],
  ])('a URL without pooler, and PgBouncer %s', async (_how, settings) => {
    const { url } = await behindPgBouncer('transaction', settings)
    expect(await start(without(url))).toMatch(/^DATABASE_URL: a pooler answers here .*add pooler=session or pooler=transaction/)
  })

  test('transaction mode without limits of the role', async () => {
    const { url } = await behindPgBouncer('transaction')
    expect(await start(url)).toMatch(/^DATABASE_URL: the role lacks limits.*ALTER ROLE "postgres" SET statement_timeout = '60s'/)
  })

  test('an unknown mode and options of the session', async () => {
    const { url } = await behindPgBouncer('transaction')
    await expect(openDatabase({ databaseUrl: `${without(url)}?pooler=statement`, dataDirectory: tmpdir() })).rejects.toThrow(
      'pooler must be',
    )
    await expect(openDatabase({ databaseUrl: `${url}&options=-c%20work_mem=1MB`, dataDirectory: tmpdir() })).rejects.toThrow('options')
  })
})
