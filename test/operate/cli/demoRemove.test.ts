import { readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLog } from '../../../src/base/log/log.ts'
import type { Database } from '../../../src/database/connection/database.ts'
import { openDatabase } from '../../../src/database/connection/openDatabase.ts'
import { createRedis, type RedisConnection } from '../../../src/database/redis/redis.ts'
import { readSettings, startService } from '../../../src/operate/serve/start.ts'
import { availableServices, throwawayPostgres } from '../../support/databases.ts'
import { freePort } from '../../support/process.ts'
import { addPerson, rootSecret } from '../../support/service.ts'
import { type Cli, createCli, schoolFile, writeConfig } from './cli.ts'

const services = await availableServices()
const redisUrl = process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379'

describe.runIf(services.postgresql && services.redis)('a demo school whose service goes public', () => {
  let directory: string
  let drop: () => Promise<void>
  let database: Database
  let redis: RedisConnection
  let cli: Cli
  let demoId: string
  let variables: Record<string, string>
  const publicly = { BASE_URL: 'https://school.example.com' }

  beforeAll(async () => {
    directory = await writeConfig({
      'schools/demo.yaml': schoolFile('http://127.0.0.1:3000', 'Demo School').replace(/^issuer:.*\n/m, ''),
      'schools/other.yaml': schoolFile('http://localhost:3000', 'Other School'),
    })
    const server = await throwawayPostgres()
    drop = server.drop
    variables = {
      ...{ CONFIG_DIR: directory, DATA_DIR: join(directory, '.data'), SECRET_KEY: rootSecret, DEMO_PASSWORD: 'a password for the demo' },
      ...{ DATABASE_URL: server.url, REDIS_URL: redisUrl },
    }
    database = await openDatabase({ databaseUrl: server.url, dataDirectory: tmpdir(), poolSize: 2 })
    redis = createRedis(redisUrl, { onError: () => undefined })
    await redis.connect()
    cli = createCli({ variables })
    expect(await cli(['demo', 'load'])).toMatchObject({ exitCode: 0 })
    expect(await cli(['jobs', 'run', 'analytics_rollups'])).toMatchObject({ exitCode: 0 })
    const create = ['people', 'create', 'ada@example.net', '--name', 'Ada', '--role', 'owner', '--school', 'other', '--password-stdin']
    expect(await cli(create, { input: 'seven lanterns in the fog' })).toMatchObject({ exitCode: 0 })
    demoId = (await database.sql.query<{ id: string }>("SELECT id FROM school WHERE slug = 'demo'"))[0]?.id as string
    const accountId = (await database.sql.query<{ id: string }>('SELECT id FROM account WHERE school_id = $1 LIMIT 1', [demoId]))[0]?.id
    // Adds the rows that people create when they use the school.
    for (const [text, values] of [
      [`INSERT INTO oidc_client (school_id, id, registered_via, metadata) VALUES ($1, 'c', 'self', '{}')`, []],
      [
        `INSERT INTO oidc_grant (school_id, id, account_id, client_id, payload, expires_at) VALUES ($1, 'g', $2, 'c', '{}', now())`,
        [accountId],
      ],
      [
        `INSERT INTO oidc_artifact (school_id, model, id, grant_id, payload, expires_at) VALUES ($1, 'RefreshToken', 'r', 'g', '{}', now())`,
        [],
      ],
      [`INSERT INTO file_removal (school_id, storage_key, due_at) VALUES ($1, $1 || '/left-over', now())`, []],
    ] as [string, unknown[]][]) {
      await database.sql.query(text.replaceAll('$1 ||', '$1::text ||').replace('VALUES ($1,', 'VALUES ($1::uuid,'), [demoId, ...values])
    }
    await redis.client.set(`sg:{${demoId}}:Session:planted`, 'x', 'EX', 600)
  })
  afterAll(async () => {
    await redis.client.del(`sg:{${demoId}}:Session:planted`)
    await redis.close()
    await database.close()
    await drop()
    await rm(directory, { recursive: true, force: true })
  })

  /** The tables of the database that have the text in any column of any row. */
  async function tablesWith(text: string): Promise<string[]> {
    const tables = await database.sql.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
    )
    const found: string[] = []
    for (const { name } of tables) {
      const rows = await database.sql.query(`SELECT 1 FROM "${name}" t WHERE t::text LIKE $1 LIMIT 1`, [`%${text}%`])
      if (rows.length > 0) found.push(name)
    }
    return found
  }

  /** Starts the service on the same data; returns the reason if it refuses. */
  async function start(more: Record<string, string>): Promise<string | undefined> {
    const [PORT, ADMIN_PORT] = [String(await freePort()), String(await freePort())]
    try {
      const service = await startService(readSettings({ ...variables, PORT, ADMIN_PORT, ...more }), createLog('silent'))
      await service.stop({ drainSeconds: 0 })
      return undefined
    } catch (error) {
      return (error as Error).message
    }
  }

  test('is served on loopback addresses only: otherwise the start fails with the fix', async () => {
    const refused = await start(publicly)
    for (const part of ['owner@example.com', 'https://school.example.com', 'schoolgate demo remove', 'DEMO=on'])
      expect(refused).toContain(part)
    expect(await start({ ...publicly, DEMO: 'off' })).toContain('schoolgate demo remove')
  })

  test('is served with DEMO=on', async () => {
    expect(await start({ ...publicly, DEMO: 'on' })).toBeUndefined()
  })

  test('is not deleted without confirmation, or with accounts that are not part of the demo', async () => {
    expect(await cli(['demo', 'remove'])).toMatchObject({ exitCode: 2, out: '', err: expect.stringContaining('--yes') })
    expect(await cli(['demo', 'remove', '--everything'])).toMatchObject({ exitCode: 2, out: '' })
    expect(await cli(['demo', 'remove'], { answers: ['n'] })).toMatchObject({ exitCode: 1, out: '' })
    await addPerson(database, demoId, 'grace@example.net', 'learner')
    expect(await cli(['demo', 'remove', '--yes'])).toMatchObject({
      ...{ exitCode: 1, out: '' },
      err: 'schoolgate: the school demo has 1 account that are not part of the demo (grace@example.net). Add --all to delete the school anyway\n',
    })
    expect(await tablesWith(demoId)).toEqual(
      expect.arrayContaining(['account', 'oidc_grant', 'oidc_artifact', 'file', 'analytics_daily_school', 'audit_log', 'school']),
    )
  })

  test('is deleted completely: every table, file and Redis key, with a count of the rows', async () => {
    const tables = await database.sql.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.columns WHERE table_schema = 'public' AND column_name = 'school_id'`,
    )
    const otherId = (await database.sql.query<{ id: string }>("SELECT id FROM school WHERE slug = 'other'"))[0]?.id as string
    const rowsOf = async (schoolId: string): Promise<number> => {
      let rows = 0
      for (const { name } of tables)
        rows += Number(
          (await database.sql.query<{ n: string }>(`SELECT count(*) AS n FROM "${name}" WHERE school_id = $1`, [schoolId]))[0]?.n,
        )
      return rows
    }
    const [before, otherBefore] = [await rowsOf(demoId), await rowsOf(otherId)]
    const files = join(variables.DATA_DIR as string, 'files')
    expect((await readdir(files, { recursive: true })).length).toBeGreaterThan(5)

    const removed = await cli(['demo', 'remove', '--all', '--yes'])
    expect(removed, removed.err).toMatchObject({ exitCode: 0 })
    expect(removed.out).toMatch(
      new RegExp(`^the demo school is deleted: ${before + 1} rows in \\d+ tables, \\d+ files, [1-9]\\d* keys in Redis\n$`),
    )
    expect(await tablesWith(demoId)).toEqual([])
    const left = (await readdir(files, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
    // The id of the storage belongs to no school.
    expect(left.map(({ name }) => name)).toEqual(['storage-id'])
    expect(await redis.client.exists(`sg:{${demoId}}:Session:planted`)).toBe(0)
    expect(await rowsOf(otherId)).toBe(otherBefore)

    const fresh = await database.sql.query<{ accounts: string; event: string }>(
      `SELECT (SELECT count(*) FROM account WHERE school_id = school.id) AS accounts, event FROM school JOIN audit_log ON school_id = school.id
        WHERE slug = 'demo'`,
    )
    expect(fresh).toEqual([{ accounts: '0', event: 'operator.demo_removed' }])
    expect(await cli(['demo', 'remove', '--yes'])).toMatchObject({ exitCode: 1, err: expect.stringContaining('nothing was deleted') })
    expect(await start(publicly)).toBeUndefined()
  })
})
