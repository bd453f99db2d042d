import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { createLog } from '../../src/base/log/log.ts'
import { openDatabase } from '../../src/database/connection/openDatabase.ts'
import { createRedis } from '../../src/database/redis/redis.ts'
import { openTracing } from '../../src/operate/metrics/tracing.ts'
import { createAgent, get, personCalled, postJson, withToken } from '../support/agent.ts'
import { availableServices, throwawayPostgres, unpackEmbedded } from '../support/databases.ts'
import { password, startService, type TestService } from '../support/service.ts'
import { startTraceReceiver } from '../support/traceReceiver.ts'
import { fieldsOf, sendAs, toConsent } from './browsing.ts'

const { postgresql, redis: hasRedis } = await availableServices()
const email = 'learner@example.org'
/** The least length of a secret. */
const leastLength = 16
const printable = new RegExp(`[ -~]{${leastLength},}`, 'g')

/** Every secret that was issued or typed in one run, by kind. Each of them lets a reader act as another person. */
type Secrets = Map<string, string>

/** One run with every kind of flow, the failures included. Answers every secret that it saw, and every error page and error body. */
async function runEverything(service: TestService): Promise<{ secrets: Secrets; refusals: string[] }> {
  const secrets: Secrets = new Map([['password', password]])
  const refusals: string[] = []
  const note = (name: string, value: unknown): void => {
    if (typeof value === 'string' && value.length >= leastLength) secrets.set(`${name} ${secrets.size}`, value)
  }
  const noteAnswer = ({ body, status }: { body: Record<string, unknown>; status: number }): void => {
    for (const name of ['access_token', 'refresh_token', 'id_token', 'client_secret', 'registration_access_token']) note(name, body?.[name])
    if (status >= 400) refusals.push(typeof body === 'string' ? body : JSON.stringify(body))
  }
  await service.addPerson({ email })
  const confidential = { token_endpoint_auth_method: 'client_secret_post' }
  const agents = [await createAgent(service.issuer), await createAgent(service.issuer, confidential)]
  for (const agent of agents) {
    note('client_secret', agent.clientSecret)
    note('code_verifier', agent.verifier)
    const person = personCalled(email)
    for (const parameters of [
      {},
      { resource: `${service.issuer}/mcp` },
      { nonce: 'a nonce that is a secret of the client', state: 'a state that is a secret of the client' },
    ]) {
      const redirect = await agent.send(person, parameters)
      note('code', redirect.searchParams.get('code'))
      const wrong = await agent.redeem(redirect, { code_verifier: 'w'.repeat(43) })
      noteAnswer(wrong)
      const first = await agent.redeem(redirect)
      noteAnswer(first)
      const second = await agent.refresh(first.body.refresh_token)
      noteAnswer(second)
      noteAnswer(await agent.refresh(first.body.refresh_token))
      noteAnswer(await agent.refresh(second.body.refresh_token, { scope: 'students:write' }))
      noteAnswer(await agent.refresh(second.body.refresh_token, { resource: 'https://evil.example' }))
      for (const path of [
        '/api/v1/account',
        '/api/v1/courses',
        '/api/oauth/userinfo',
        `/api/v1/account?access_token=${second.body.access_token}`,
      ]) {
        noteAnswer(await withToken(service.issuer + path, second.body.access_token))
      }
      noteAnswer(await get(`${service.issuer}/api/v1/account`, { authorization: `Basic ${second.body.access_token}` }))
      noteAnswer(await agent.post('/api/oauth/introspect', { token: second.body.access_token }))
      noteAnswer(
        await agent.post(`/api/oauth/token?code=${redirect.searchParams.get('code')}&client_secret=${agent.clientSecret}`, {
          grant_type: 'authorization_code',
        }),
      )
      noteAnswer(await get(`${service.issuer}/oauth/logout?id_token_hint=${second.body.id_token}`, { accept: 'text/html' }))
      noteAnswer(
        await get(
          agent.authorizationUrl({ id_token_hint: second.body.id_token, login_hint: email, redirect_uri: 'https://evil.example' }).href,
          { accept: 'text/html' },
        ),
      )
      noteAnswer(await agent.redeem(redirect))
      noteAnswer(await agent.redeem(redirect, { code_verifier: 'v'.repeat(43) }))
      const third = await agent.tokens(person)
      noteAnswer(third)
      noteAnswer(await agent.post('/api/oauth/revoke', { token: third.body.access_token }))
      noteAnswer(await agent.tokens(person))
    }
    // Refused, abandoned, mistyped, forged, signed out.
    await agent.send(person, {}, { refuse: true })
    const mistaken = personCalled(email)
    const page = await mistaken.open(agent.authorizationUrl().href)
    note('mistyped password', 'a mistyped password that is nearly right')
    refusals.push((await mistaken.submit(page, /sign-in$/, { email, password: 'a mistyped password that is nearly right' })).html)
    const consent = fieldsOf(await toConsent(agent, person, { email }), /consent$/)
    note('csrf', consent.fields.get('csrf'))
    consent.fields.set('csrf', 'x')
    refusals.push(await (await sendAs(person, consent.address, { fields: consent.fields })).text())
    const { address, fields } = fieldsOf(await person.open(`${service.issuer}/oauth/logout`), /confirm$/)
    for (const browser of [person, mistaken])
      for (const [key, value] of browser.cookies) if (/session|browser|\.sig/.test(key)) note(key, value)
    fields.set('logout', 'yes')
    await sendAs(person, address, { fields })
    // Somebody is half-way through when the data are looked at.
    await toConsent(agent, person, { email })
    for (const [key, value] of person.cookies) if (/session|browser|\.sig/.test(key)) note(key, value)
  }
  noteAnswer(
    await postJson(`${service.issuer}/api/oauth/register`, {
      redirect_uris: ['https://evil.example'],
      client_secret: 'a secret that the client made up itself',
    }),
  )
  note('client_secret', 'a secret that the client made up itself')
  return { secrets, refusals }
}

/** Returns the names of the secrets in a text, in plain form or as bytes and JSON encode them. */
function found(text: string, secrets: Secrets): string[] {
  const spellings = (value: string): string[] => [
    value,
    encodeURIComponent(value),
    Buffer.from(value).toString('hex'),
    Buffer.from(value).toString('base64').replace(/=+$/, ''),
  ]
  return [...secrets].filter(([, value]) => spellings(value).some((spelling) => text.includes(spelling))).map(([name]) => name)
}

async function tablesOf(service: TestService): Promise<string> {
  const tables = await service.database.sql.query<{ name: string }>("SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'")
  const texts: string[] = []
  for (const { name } of tables) {
    const rows = await service.database.sql.query<{ text: string }>(`SELECT row_to_json(t)::text AS text FROM "${name}" t`)
    texts.push(name, ...rows.map(({ text }) => text))
  }
  expect(tables.length).toBeGreaterThan(5)
  return texts.join('\n')
}

async function redisOf(url: string, schoolId: string): Promise<string> {
  const { client, connect, close } = createRedis(url, { onError: () => undefined })
  await connect()
  const texts: string[] = []
  let cursor = '0'
  do {
    const [next, keys] = (await client.call('SCAN', cursor, 'MATCH', `*${schoolId}*`, 'COUNT', '1000')) as [string, string[]]
    cursor = next
    for (const key of keys) {
      const type = await client.type(key)
      const value =
        type === 'hash' ? await client.hgetall(key) : type === 'zset' ? await client.zrange(key, '0', '-1') : await client.get(key)
      texts.push(key, JSON.stringify(value))
    }
  } while (cursor !== '0')
  await close()
  return texts.join('\n')
}

/** Traces that are sent to a receiver, with every statement and command. */
async function recordTraces() {
  const receiver = await startTraceReceiver()
  const settings = { sample_ratio: 1, follow_callers: true, service_name: 'schoolgate' }
  const tracing = await openTracing({ environment: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url }, settings, log: createLog('silent') })
  const traces = async (): Promise<string> => {
    await tracing?.shutdown()
    await receiver.stop()
    return receiver.text()
  }
  return { tracing, traces }
}

interface Opened {
  service: TestService
  stored(): Promise<string>
  kinds: readonly string[]
  /** Ends the recording, and returns everything that was sent. */
  traces(): Promise<string>
}

/** Tests every guarantee of this file on the output of one run. */
function guarantees(open: () => Promise<Opened>): void {
  let made: Awaited<ReturnType<typeof open>> | undefined
  let ran: Promise<Awaited<ReturnType<typeof runEverything>>> | undefined
  const run = async () => {
    made ??= await open()
    ran ??= runEverything(made.service)
    return { ...made, ...(await ran) }
  }

  test('the stores hold no token, code, secret, verifier, cookie or password (D4)', async () => {
    const { secrets, stored, kinds } = await run()
    expect(secrets.size).toBeGreaterThan(60)
    const text = await stored()
    for (const kind of kinds) expect(text).toContain(kind)
    expect(found(text, new Map([['something that is stored', email]]))).toHaveLength(1)
    expect(found(text, secrets)).toEqual([])
  })

  test('the log at its most talkative holds none either, nor a query, an address or an answer of an authorization (D22)', async () => {
    const { service, secrets } = await run()
    const log = service.log()
    expect(log.split('\n').length).toBeGreaterThan(150)
    expect(log).toContain('"path":"/oauth/authorize"')
    expect(found(log, secrets)).toEqual([])
    for (const word of ['?', 'code_challenge', 'response_type', email, 'a state that is', 'a nonce that is']) {
      expect(log.split('\n').filter((line) => line.includes(word))).toEqual([])
    }
  })

  test('metrics name operations, outcomes and events, and nothing that a caller chose (D22)', async () => {
    const { service, secrets } = await run()
    const { text } = await service.app.metrics.render()
    expect(text).toContain('schoolgate_request_seconds')
    expect(found(text, secrets)).toEqual([])
    const values = new Set(
      [...text.matchAll(/schoolgate_[a-z_]+\{([^}]*)\}/g)].flatMap(([, labels = '']) =>
        [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => `${name}=${value}`),
      ),
    )
    for (const label of values)
      expect(label).toMatch(
        /^(area=[a-z_]+|operation=[\w.:/*-]+|outcome=[a-z_]+|le=[\d.+a-zA-Z]+|event=[a-z_]+\.[a-z_]+|policy=[a-z_]+|pool=[a-z]+|school=(first|second)|state=[a-z_]+|kind=[a-z_]+|job_name=[a-z_]+|cache=[a-z_]+|version=[\d.]+|days=\d+)$/,
      )
  })

  test('the audit trail holds none, and says who did what (D22)', async () => {
    const { service, secrets } = await run()
    const rows = await service.database.sql.query<{ event: string; text: string }>(
      'SELECT event, row_to_json(a)::text AS text FROM audit_log a',
    )
    expect(found(rows.map(({ text }) => text).join('\n'), secrets)).toEqual([])
    const events = new Set(rows.map(({ event }) => event))
    for (const event of [
      'client.registered',
      'sign_in.succeeded',
      'sign_in.failed',
      'consent.granted',
      'consent.refused',
      'token.issued',
      'token.refused',
      'token.revoked',
      'code.answered_again',
      'code.replayed',
      'refresh_token.answered_again',
    ]) {
      expect(events).toContain(event)
    }
  })

  test('the traces hold none, nor a query, an address or a path', async () => {
    const { secrets, traces } = await run()
    const text = await traces()
    expect(text).toContain('POST oauth.token')
    expect(text).toMatch(/"SELECT oidc_\w+"/)
    expect(found(text, secrets)).toEqual([])
    for (const word of ['?', '/api/v1/', 'code_challenge', email, 'a state that is', 'a nonce that is', '$1'])
      expect(text).not.toContain(word)
  })

  test('no error, page or body, repeats a secret of the request (D22)', async () => {
    const { refusals, secrets } = await run()
    expect(refusals.length).toBeGreaterThan(40)
    const pages = refusals.map((text) => text.replaceAll(/name="csrf" value="[^"]*"/g, ''))
    expect(found(pages.join('\n'), secrets)).toEqual([])
  })

  afterAll(async () => {
    await made?.service.stop()
  })
}

describe('on the embedded database', () => {
  let directory: string
  afterAll(() => rm(directory, { recursive: true, force: true }))

  guarantees(async () => {
    directory = await mkdtemp(join(tmpdir(), 'schoolgate-secrets-'))
    const { tracing, traces } = await recordTraces()
    await unpackEmbedded(directory)
    const database = await openDatabase({ dataDirectory: directory, tracing })
    const service = await startService({ database, tracing })
    return {
      service,
      traces,
      kinds: [
        'oidc_artifact',
        'signing_key',
        'AccessToken',
        'RefreshToken',
        'Session',
        'Interaction',
        'AuthorizationCode',
        'learner@example.org',
      ],
      // Tables and the bytes under them: write-ahead log and dead rows included.
      stored: async () => `${await tablesOf(service)}\n${await bytesUnder(directory)}`,
    }
  })

  /** Every printable piece of the files that is long enough for a secret, in any of its spellings: the rest is fifteen times as much. */
  async function bytesUnder(folder: string): Promise<string> {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    const files = await Promise.all(entries.filter((entry) => entry.isFile()).map((entry) => readFile(join(entry.parentPath, entry.name))))
    return files.flatMap((file) => file.toString('latin1').match(printable) ?? []).join('\n')
  }
})

describe.runIf(postgresql && hasRedis)('on PostgreSQL and Redis', () => {
  let drop: () => Promise<void> = async () => undefined
  afterAll(() => drop())

  guarantees(async () => {
    const postgres = await throwawayPostgres()
    const { tracing, traces } = await recordTraces()
    const database = await openDatabase({ databaseUrl: postgres.url, dataDirectory: tmpdir(), tracing })
    const redisUrl = 'redis://127.0.0.1:6379'
    const redis = createRedis(redisUrl, { onError: () => undefined, tracing })
    await redis.connect()
    drop = async () => {
      await redis.close()
      await database.close()
      await postgres.drop()
    }
    const service = await startService({ database, redis, tracing })
    return {
      service,
      traces,
      kinds: ['oidc_artifact', 'RefreshToken', ':AccessToken:', ':AuthorizationCode:', ':Session:', ':Interaction:', 'grant-ended'],
      stored: async () => `${await tablesOf(service)}\n${await redisOf(redisUrl, service.schoolId())}`,
    }
  })
})
