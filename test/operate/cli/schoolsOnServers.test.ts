import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Redis } from 'ioredis'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../../src/database/connection/openDatabase.ts'
import { schoolPrefix } from '../../../src/database/redis/redis.ts'
import { png, sha256 } from '../../school/files/storageService.ts'
import { createAgent, get, personCalled, withToken } from '../../support/agent.ts'
import { availableServices, throwawayPostgres } from '../../support/databases.ts'
import { duringTests } from '../../support/duringTests.ts'
import { until } from '../../support/poll.ts'
import { createHome, freePort, type Home, rootSecret, type ServiceProcess, startProcess } from '../../support/process.ts'
import { addPerson } from '../../support/service.ts'
import { uploadFile } from '../../support/uploadFile.ts'
import { type Cli, createCli } from './cli.ts'

const root = resolve(import.meta.dirname, '../../..')
const { postgresql, redis: hasRedis } = await availableServices()
const redisUrl = process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379'
/** True for keys that live longer than this test: codes and markers expire meanwhile. */
const isLasting = (key: string): boolean => /:(Session|AccessToken):/.test(key)
const metadataPath = '/.well-known/oauth-authorization-server'

/** A school with an access token of a person and the address of an uploaded file. */
interface Used {
  id: string
  issuer: string
  token: string
  file: string
}

describe.runIf(postgresql && hasRedis)('schools of a service with PostgreSQL and Redis', () => {
  let home: Home
  const postgres = duringTests(() => throwawayPostgres())
  let service: ServiceProcess
  let sql: Client
  let redis: Redis
  let cli: Cli
  let variables: Record<string, string>
  let port: number
  const ids: string[] = []
  const start = () =>
    startProcess({
      home,
      port,
      environment: { DATABASE_URL: postgres.url, REDIS_URL: redisUrl, DEMO: 'off', BASE_URL: `http://127.0.0.1:${port}` },
    })

  beforeAll(async () => {
    port = await freePort()
    home = await createHome()
    service = await start()
    variables = {
      ...{ CONFIG_DIR: home.config, DATA_DIR: home.data, SECRET_KEY: rootSecret, DEMO: 'off', BASE_URL: service.issuer },
      ...{ DATABASE_URL: postgres.url, REDIS_URL: redisUrl },
    }
    cli = createCli({ variables })
    redis = new Redis(redisUrl)
    sql = new Client({ connectionString: postgres.url })
    await sql.connect()
  })
  afterAll(async () => {
    await service?.kill()
    for (const id of ids) for (const key of await keysOf(id)) await redis.del(key)
    redis?.disconnect()
    await sql?.end()
    await home?.remove()
  })

  const keysOf = (id: string): Promise<string[]> => redis.keys(`${schoolPrefix(id)}*`)
  const idOf = async (slug: string): Promise<string | undefined> =>
    (await sql.query<{ id: string }>('SELECT id FROM school WHERE slug = $1', [slug])).rows[0]?.id
  /** Returns the number of rows of a school by table, without the figures that a background job computes. */
  async function rowsOf(id: string): Promise<Record<string, number>> {
    const tables = await sql.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
        WHERE table_schema = 'public' AND column_name = 'school_id' AND table_type = 'BASE TABLE' AND NOT table_name ~ '^analytics_'`,
    )
    const counts: Record<string, number> = {}
    for (const { name } of tables.rows) {
      const { rows } = await sql.query<{ count: number }>(`SELECT count(*)::int AS count FROM "${name}" WHERE school_id = $1`, [id])
      // Search documents are made again where the rows go.
      if (rows[0] && rows[0].count > 0 && name !== 'search_document') counts[name] = rows[0].count
    }
    return counts
  }
  const filesOnDisk = async (): Promise<string[]> =>
    (await readdir(join(home.data, 'files'), { recursive: true, withFileTypes: true }))
      // The id of the storage belongs to no school.
      .filter((entry) => entry.isFile() && entry.name !== 'storage-id')
      .map(({ name }) => name)

  /** Gives a school an owner who signs in, writes a course and uploads a file. */
  async function use(slug: string, issuer: string): Promise<Used> {
    const id = String(await idOf(slug))
    ids.push(id)
    const database = await openDatabase({ databaseUrl: postgres.url, dataDirectory: tmpdir(), poolSize: 1 })
    await addPerson(database, id, `owner@${slug}.example`, 'owner')
    await database.close()
    const agent = await createAgent(issuer)
    const scope = 'openid courses:read courses:write storage:write account:read'
    const { body } = await agent.tokens(personCalled(`owner@${slug}.example`), { scope }, { scopes: 'all' })
    const headers = { authorization: `Bearer ${body.access_token}`, 'content-type': 'application/json' }
    const course = await fetch(`${issuer}/api/v1/courses`, { method: 'POST', headers, body: JSON.stringify({ title: `Knots of ${slug}` }) })
    expect(course.status).toBe(201)
    const { url } = await uploadFile(issuer, body.access_token, png)
    expect((await keysOf(id)).length).toBeGreaterThan(0)
    return { id, issuer, token: body.access_token, file: url }
  }
  const expectServed = async ({ issuer, token, file }: Used): Promise<void> => {
    expect((await withToken(`${issuer}/api/v1/account`, token)).status).toBe(200)
    expect(Buffer.from(await (await fetch(file)).arrayBuffer())).toEqual(png)
  }

  let demo: Used
  let harbour: Used

  test('create writes file, row and keys, and the running service serves the school after SIGHUP', async () => {
    const issuer = `http://localhost:${port}`
    const created = await cli(['schools', 'create', 'harbour', '--issuer', issuer, '--name', 'Harbour School', '--currency', 'USD'])
    expect(created, created.err).toMatchObject({
      exitCode: 0,
      out: expect.stringContaining('harbour.yaml'),
      err: expect.stringContaining('SIGHUP'),
    })
    service.child.kill('SIGHUP')
    const metadata = await until(async () => (await get(`${issuer}${metadataPath}`)).body.issuer === issuer, {
      what: 'the school to answer',
    })
    expect(metadata).toBe(true)
    demo = await use('demo', service.issuer)
    harbour = await use('harbour', issuer)
    expect((await get(`${issuer}/api/v1/school`)).body).toMatchObject({ name: 'Harbour School', currency: 'USD' })
    await expectServed(harbour)
  })

  test('export writes a complete archive of this school alone, and its rows, columns and sums agree with the manifest', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'schoolgate-export-'))
    const output = join(folder, 'harbour')
    // Uses of grants are counted in memory first.
    const isWritten = async () => 'grant_use' in (await rowsOf(harbour.id))
    await until(isWritten, { what: 'the uses of the grants to be written' })
    const before = await rowsOf(harbour.id)
    const exported = await cli(['schools', 'export', 'harbour', '--output', output])
    expect(exported, exported.err).toMatchObject({ exitCode: 0, out: expect.stringMatching(/\d+ rows of \d+ tables, 1 files\n$/) })
    const manifest = JSON.parse(await readFile(join(output, 'manifest.json'), 'utf8'))
    expect(manifest).toMatchObject({
      format: 'schoolgate-school-export',
      version: 1,
      slug: 'harbour',
      school_id: harbour.id,
      missing_files: [],
    })
    const counted: Record<string, number> = {}
    for (const [table, { rows, columns }] of Object.entries<{ rows: number; columns: object }>(manifest.tables)) {
      const lines = (await readFile(join(output, `tables/${table}.ndjson`), 'utf8')).split('\n').filter(Boolean)
      const parsed = lines.map((line) => JSON.parse(line))
      expect([table, parsed.length]).toEqual([table, rows])
      for (const row of parsed) {
        expect([table, row.school_id ?? row.id]).toEqual([table, harbour.id])
        expect(Object.keys(row)).toEqual(Object.keys(columns))
      }
      if (rows > 0 && table !== 'school' && !table.startsWith('analytics_')) counted[table] = rows
    }
    expect(counted).toEqual(before)
    expect(counted).toMatchObject({ course: 1, person: 1, account: 1, signing_key: expect.any(Number), file: 1 })
    for (const { key, bytes, sha256: sum } of manifest.files) {
      const contents = await readFile(join(output, 'files', key))
      expect([contents.length, sha256(contents)]).toEqual([bytes, sum])
    }
    expect(await readFile(join(output, 'harbour.yaml'), 'utf8')).toBe(await readFile(join(home.config, 'schools/harbour.yaml'), 'utf8'))
    expect(await cli(['schools', 'export', 'harbour', '--output', output])).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('exists'),
    })
    await rm(folder, { recursive: true })
  })

  test.each([
    [['create', 'Harbour', '--issuer', 'https://other.example.com']],
    [['create', 'other', '--issuer', 'nonsense']],
    [['create', 'other', '--issuer', 'http://school.example.com']],
    [['create', 'other', '--issuer', 'https://other.example.com/path']],
    [['create', 'other', '--issuer', 'https://other.example.com', '--currency', 'XXX1']],
    [['create', 'other', '--issuer', 'https://other.example.com', '--time-zone', 'Mars/Olympus']],
    [['create', 'other', '--issuer', 'https://other.example.com', '--locale', 'nonsense-tag-x']],
    [['create', 'other', '--issuer', 'https://other.example.com', '--contact-email', 'nobody']],
    [['create', '../other', '--issuer', 'https://other.example.com']],
    [['remove', 'harbour']],
    [['remove', 'harbour', '--confirm', 'demo']],
  ])('schools %j is a usage error in one line that changes nothing', async (args) => {
    const { exitCode, out, err } = await cli(['schools', ...args])
    expect({ exitCode, out }, err).toEqual({ exitCode: 2, out: '' })
    expect(err.trim().split('\n')).toHaveLength(1)
    expect(await readdir(join(home.config, 'schools'))).toEqual(['demo.yaml', 'harbour.yaml'])
    expect((await sql.query('SELECT slug FROM school ORDER BY slug')).rows).toEqual([{ slug: 'demo' }, { slug: 'harbour' }])
  })

  test.each([
    [['create', 'harbour', '--issuer', 'https://other.example.com'], 'exists'],
    [['create', 'other', '--issuer', 'http://localhost:PORT'], 'not created'],
    [['export', 'nothing', '--output', '/tmp/nothing-is-written-here'], 'no school nothing'],
    [['remove', 'nothing', '--confirm', 'nothing'], 'does not exist'],
    [['remove', 'harbour', '--confirm', 'harbour'], 'delete the file, restart every process'],
  ])('schools %j fails with the fix and changes nothing', async (args, text) => {
    const failed = await cli(['schools', ...args.map((one) => one.replace('PORT', String(port)))])
    expect(failed).toMatchObject({ exitCode: 1, out: '', err: expect.stringContaining(text) })
    expect(await readdir(join(home.config, 'schools'))).toEqual(['demo.yaml', 'harbour.yaml'])
    await expectServed(harbour)
  })

  test('a removal that is killed halfway can be repeated, deletes rows, keys and files, and leaves the other school as it was', async () => {
    await rm(join(home.config, 'schools/harbour.yaml'))
    expect(await service.stop()).toBe(0)
    service = await start()
    expect((await get(`${harbour.issuer}/api/v1/school`)).body).not.toMatchObject({ name: 'Harbour School' })
    await expectServed(demo)
    const before = await rowsOf(demo.id)
    const [keys, files] = [await keysOf(demo.id), await filesOnDisk()]
    expect(files).toHaveLength(2)

    await sql.query('BEGIN')
    await sql.query('SELECT 1 FROM school WHERE id = $1 FOR UPDATE', [harbour.id])
    const killed: ChildProcess = spawn(
      process.execPath,
      ['src/operate/cli/main.mjs', 'schools', 'remove', 'harbour', '--confirm', 'harbour'],
      {
        cwd: root,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, ...variables },
      },
    )
    let output = ''
    for (const stream of [killed.stdout, killed.stderr]) stream?.on('data', (chunk) => (output += chunk))
    const ended = once(killed, 'exit')
    const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query ILIKE '%DELETE%'`
    const isWaiting = async (): Promise<boolean> => {
      // A transaction sees the sessions of its first look otherwise.
      await sql.query('SELECT pg_stat_clear_snapshot()')
      expect(killed.exitCode, output).toBe(null)
      return (await sql.query(waiting)).rows.length > 0
    }
    await until(isWaiting, { what: 'the removal to wait for the last row' })
    killed.kill('SIGKILL')
    await ended
    await sql.query('ROLLBACK')
    // Files and keys are gone, and the rows are all there: the school can still be found and removed.
    expect(await keysOf(harbour.id)).toEqual([])
    expect(await filesOnDisk()).toHaveLength(1)
    await until(async () => (await idOf('harbour')) === harbour.id && (await rowsOf(harbour.id)).course === 1, { what: 'the rollback' })

    const removed = await cli(['schools', 'remove', 'harbour', '--confirm', 'harbour'])
    expect(removed, removed.err).toMatchObject({
      exitCode: 0,
      out: expect.stringMatching(/^the school harbour is deleted: \d+ rows in \d+ tables/),
    })
    expect([await rowsOf(harbour.id), await idOf('harbour'), await keysOf(harbour.id)]).toEqual([{}, undefined, []])
    expect(await cli(['schools', 'remove', 'harbour', '--confirm', 'harbour'])).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('does not exist'),
    })

    await expectServed(demo)
    expect(await keysOf(demo.id)).toEqual(expect.arrayContaining(keys.filter(isLasting)))
    // The audit trail of the school that stays records the removal, and the uses of its grants are counted some seconds later.
    const after = await rowsOf(demo.id)
    expect({ ...after, audit_log: 0, grant_use: before.grant_use }).toEqual({ ...before, audit_log: 0 })
    expect(after.grant_use).toBeGreaterThanOrEqual(before.grant_use ?? 0)
    const { rows } = await sql.query(`SELECT details FROM audit_log WHERE event = 'operator.school_removed'`)
    expect(rows).toMatchObject([{ details: { slug: 'harbour', operator: 'ops' } }])
    const again = await cli(['schools', 'create', 'harbour', '--issuer', harbour.issuer])
    expect(again, again.err).toMatchObject({ exitCode: 0 })
    expect(await idOf('harbour')).not.toBe(harbour.id)
    ids.push(String(await idOf('harbour')))
  })
})
