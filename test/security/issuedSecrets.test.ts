// Proves D22: After secrets of every kind were issued and used: log at level trace, metrics, traces, tables, Redis and e-mails contain none of them, and the heap none that has ended; a planted leak is found

import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { createKeyring } from '../../src/base/keyring.ts'
import { openDatabase } from '../../src/database/connection/openDatabase.ts'
import { createRedis } from '../../src/database/redis/redis.ts'
import { createCli } from '../operate/cli/cli.ts'
import { postJson } from '../support/agent.ts'
import { availableServices, throwawayPostgres } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { until } from '../support/poll.ts'
import { createHome, freePort, type Home, rootSecret, type ServiceProcess, startProcess } from '../support/process.ts'
import { startTraceReceiver, type TraceReceiver } from '../support/traceReceiver.ts'
import { email, emailFiles, issueSecrets } from './issueSecrets.ts'
import { engineSecrets, issuedKinds } from './secretSources.ts'
import { type IssuedSecret, secretsIn } from './secretSpellings.ts'

const { postgresql, redis: hasRedis } = await availableServices()
const redisUrl = 'redis://127.0.0.1:6379'
const webhookSecret = `whsec_${randomBytes(32).toString('base64')}`
const platformKey = randomBytes(36).toString('base64')

/** A process at its most talkative, with every place in which it writes. */
describe.runIf(postgresql && hasRedis)('after secrets of every kind were issued and used', () => {
  let home: Home
  let service: ServiceProcess
  let receiver: TraceReceiver
  let secrets: IssuedSecret[]
  let database: Awaited<ReturnType<typeof openDatabase>>
  let schoolId: string
  const postgres = duringTests(() => throwawayPostgres())
  const snapshots = (): string => join(home.directory, 'snapshots')

  beforeAll(async () => {
    receiver = await startTraceReceiver()
    // Passkeys need a host name.
    const port = await freePort()
    const issuer = `http://localhost:${port}`
    home = await createHome({ issuer, server: { tracing: { sample_ratio: 1 } } })
    await mkdir(snapshots())
    await writeFile(
      join(home.config, 'schools/demo.yaml'),
      stringify({
        issuer,
        docs_url: 'https://docs.example.com',
        defaults: { name: 'Process School', locale: 'en', time_zone: 'UTC', currency: 'EUR' },
        webhooks: [{ name: 'crm', url: 'https://hooks.example.invalid/schoolgate', types: ['security'], secrets: ['env:CRM_WEBHOOK'] }],
      }),
    )
    service = await startProcess({
      home,
      port,
      environment: {
        ...{ DATABASE_URL: postgres.url, REDIS_URL: redisUrl, DEMO: 'on', LOG_LEVEL: 'trace' },
        ...{ CRM_WEBHOOK: webhookSecret, PLATFORM_KEY: platformKey, OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url },
        NODE_OPTIONS: `--heapsnapshot-signal=SIGUSR2 --diagnostic-dir=${snapshots()}`,
      },
    })
    database = await openDatabase({ databaseUrl: postgres.url, dataDirectory: home.data })
    schoolId = (await database.sql.query<{ id: string }>('SELECT id FROM school'))[0]?.id ?? ''
    const keyring = createKeyring([rootSecret])
    const folders = { CONFIG_DIR: home.config, DATA_DIR: home.data, CRM_WEBHOOK: webhookSecret }
    const cli = createCli({ variables: { ...folders, DATABASE_URL: postgres.url, REDIS_URL: redisUrl, SECRET_KEY: rootSecret } })
    const issued = await issueSecrets({ issuer, admin: service.admin }, { home, cli })
    const rows = await database.sql.query<{ private_jwk: string }>('SELECT private_jwk FROM signing_key')
    const keys = rows.map(({ private_jwk: sealed }) => JSON.parse(keyring.tryOpen('signing keys', sealed) ?? '') as { d: string })
    secrets = [
      ...issued,
      ...keys.map(({ d }) => ({ kind: 'signing key', value: d, hasEnded: false })),
      { kind: 'webhook secret', value: webhookSecret.slice('whsec_'.length), hasEnded: false },
      { kind: 'platform key', value: platformKey, hasEnded: false },
      { kind: 'root secret', value: rootSecret, hasEnded: false },
    ]
  })
  afterAll(async () => {
    await database?.close()
    await service?.stop()
    await receiver?.stop()
    await home?.remove()
  })

  /** Every row of every table, audit trail and outbox included. */
  async function tables(): Promise<string> {
    const names = await database.sql.query<{ name: string }>("SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'")
    const texts = [names.map(({ name }) => name).join(' ')]
    for (const { name } of names) {
      const rows = await database.sql.query<{ text: string }>(`SELECT row_to_json(t)::text AS text FROM "${name}" t`)
      texts.push(...rows.map(({ text }) => text))
    }
    return texts.join('\n')
  }

  /** Every key and value of the school in Redis, in the format of its dumps. */
  async function redisDump(): Promise<Buffer> {
    const { client, connect, close } = createRedis(redisUrl, { onError: () => undefined })
    await connect()
    const parts: Buffer[] = []
    let cursor = '0'
    do {
      const [next, keys] = (await client.call('SCAN', cursor, 'MATCH', `*${schoolId}*`, 'COUNT', '1000')) as [string, string[]]
      cursor = next
      for (const key of keys) parts.push(Buffer.from(key), (await client.dumpBuffer(key)) ?? Buffer.alloc(0))
    } while (cursor !== '0')
    await close()
    return Buffer.concat(parts)
  }

  /** The strings of the heap, after a garbage collection. V8 cuts texts after 1,024 characters; memory outside of the heap is not in it. */
  async function heapStrings(): Promise<Buffer> {
    // Parsers and connections keep their last request.
    await Promise.all(Array.from({ length: 60 }, () => fetch(`${service.issuer}/robots.txt`).then((response) => response.text())))
    const before = await readdir(snapshots())
    process.kill(service.child.pid as number, 'SIGUSR2')
    const name = await until(async () => (await readdir(snapshots())).find((file) => !before.includes(file)), { what: 'a snapshot' })
    const file = join(snapshots(), name)
    const end = Buffer.from(']}')
    await until(async () => (await readFile(file)).subarray(-4).includes(end), { what: 'the end of the snapshot', deadlineMs: 120_000 })
    const bytes = await readFile(file)
    return bytes.subarray(bytes.lastIndexOf('"strings":['))
  }

  test('secrets of every kind that the source creates are there to be searched for', () => {
    const kinds = new Set(secrets.map(({ kind }) => kind))
    expect(issuedKinds.filter((kind) => !kinds.has(kind))).toEqual([])
  })

  test('the engine stores nothing of another kind', async () => {
    const rows = await database.sql.query<{ model: string }>('SELECT DISTINCT model FROM oidc_artifact')
    const { client, connect, close } = createRedis(redisUrl, { onError: () => undefined })
    await connect()
    const keys = (await client.call('KEYS', `*${schoolId}*`)) as string[]
    await close()
    const inRedis = keys.flatMap((key) => /\}:([A-Z]\w+):/.exec(key)?.[1] ?? [])
    expect(inRedis).toContain('Session')
    expect([...new Set([...rows.map(({ model }) => model), ...inRedis])].filter((model) => !(model in engineSecrets))).toEqual([])
  })

  test('the log at level trace contains none of them', () => {
    const log = service.output()
    expect(log.split('\n').length).toBeGreaterThan(50)
    expect(secretsIn(log, secrets)).toEqual([])
    expect(log.split('\n').filter((line) => Buffer.byteLength(line) > 16_384)).toEqual([])
    expect(log).not.toContain('rawPacket')
    expect(log).toContain('request is not valid HTTP')
    expect(log.includes('"path":"/calendar/[removed]"')).toBe(true)
  })

  test('metrics contain none of them', async () => {
    const text = await (await fetch(`${service.admin}/metrics`)).text()
    expect(text).toContain('schoolgate_request_seconds')
    expect(secretsIn(text, secrets)).toEqual([])
  })

  test('traces contain none of them', async () => {
    await until(() => receiver.text().includes('POST oauth.token'), { what: 'the spans of the run' })
    expect(secretsIn(receiver.text(), secrets)).toEqual([])
  })

  test('the database contains none of them: rows, audit trail, outbox', async () => {
    const text = await tables()
    for (const part of ['audit_log', 'authenticator_app', 'calendar', 'signing_key', email]) expect(text).toContain(part)
    expect(secretsIn(text, secrets)).toEqual([])
  })

  test('Redis contains none of them', async () => {
    const dump = await redisDump()
    expect(dump.length).toBeGreaterThan(1000)
    expect(secretsIn(dump, secrets)).toEqual([])
  })

  test('e-mails contain their own link and no other secret', async () => {
    const emails = (await emailFiles(home))
      .join('\n')
      .replaceAll(/=\r?\n/g, '')
      .replaceAll('=3D', '=')
    expect(secretsIn(emails, secrets)).toEqual(['reset link', 'sign-up link', 'e-mail change link'])
  })

  // These have ended: codes and tokens that were used or revoked, passwords, verifiers and wrong keys that were checked, links and recovery
  // codes that were used, the cookie of a session, which is compared by its hash. What is in use can be in memory: signing keys, configured secrets.
  test('the heap contains none that has ended a minute ago', async () => {
    const ended = secrets.filter(({ hasEnded }) => hasEnded)
    expect(ended.length).toBeGreaterThan(15)
    let found: string[] = []
    // Timers of connections keep the last request that set them for some seconds.
    for (let attempt = 0; attempt < 4; attempt++) {
      const strings = await heapStrings()
      expect(strings.includes('/oauth/authorize')).toBe(true)
      found = secretsIn(strings, ended)
      if (found.length === 0) break
    }
    expect(found).toEqual([])
  })

  test('a leak is found in each of these places', async () => {
    const planted: IssuedSecret = { kind: 'planted', value: 'zq-a-planted-secret-that-leaks', hasEnded: true }
    // The log has the name of the browser, and the database the name of a client.
    await fetch(`${service.issuer}/robots.txt`, { headers: { 'user-agent': planted.value } })
    await until(() => secretsIn(service.output(), [planted]).length === 1, { what: 'the line of the request' })
    const metadata = { client_name: planted.value, redirect_uris: ['http://127.0.0.1/callback'] }
    expect((await postJson(`${service.issuer}/api/oauth/register`, metadata)).status).toBe(201)
    expect(secretsIn(await tables(), [planted])).toEqual(['planted'])
    const { client, connect, close } = createRedis(redisUrl, { onError: () => undefined })
    await connect()
    await client.set(`${schoolId}:planted`, planted.value)
    expect(secretsIn(await redisDump(), [planted])).toEqual(['planted'])
    await client.del(`${schoolId}:planted`)
    await close()
    for (const spelling of [encodeURIComponent(planted.value), Buffer.from(planted.value).toString('base64url')])
      expect(secretsIn(`x${spelling}x`, [planted])).toEqual(['planted'])
  })
})
