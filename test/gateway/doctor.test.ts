import { appendFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { openDatabase } from '../../src/database/connection/openDatabase.ts'
import { securityEvents } from '../../src/database/tables/auditEvents.ts'
import type { CheckResult } from '../../src/operate/doctor/check.ts'
import { tlsChecks } from '../../src/operate/doctor/tlsChecks.ts'
import { createCli } from '../operate/cli/cli.ts'
import { availableServices, throwawayPostgres } from '../support/databases.ts'
import { type MailServer, startMailServer } from '../support/mailServer.ts'
import { hasNginx, type Nginx, startNginx } from '../support/nginx.ts'
import { until } from '../support/poll.ts'
import { createHome, freePort, type Home, rootSecret, type ServiceProcess, startProcess } from '../support/process.ts'

const securityTypes = securityEvents.all.map((event) => `security.${event}`)
const hookSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const isRunnable = (await availableServices()).postgresql && (await hasNginx())

describe.runIf(isRunnable)('schoolgate doctor, and nginx with the file of deploy/', () => {
  let home: Home
  let database: Awaited<ReturnType<typeof throwawayPostgres>>
  let service: ServiceProcess
  let nginx: Nginx | undefined
  let mail: MailServer
  const received: object[] = []
  let [port, plainPort, upstream] = [0, 0, 0]
  const undo: (() => Promise<unknown>)[] = []

  beforeAll(async () => {
    ;[port, plainPort, upstream] = [await freePort(), await freePort(), await freePort()]
    database = await throwawayPostgres()
    undo.push(() => database.drop())
    home = await createHome({ issuer: `https://127.0.0.1:${port}`, server: { trusted_proxies: ['loopback'] } })
    undo.push(() => home.remove())
    mail = await startMailServer()
    undo.push(() => mail.close())
    const receiver = createServer(async (request, response) => {
      received.push(JSON.parse(await text(request)))
      response.end()
    })
    await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening))
    undo.push(async () => void receiver.close())
    await appendFile(
      join(home.config, 'schools/demo.yaml'),
      stringify({
        webhook_private_hosts: ['127.0.0.1'],
        webhooks: [
          {
            name: 'records',
            url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
            types: securityTypes,
            secrets: ['env:HOOK'],
          },
        ],
      }),
    )
    service = await startProcess({
      home,
      port: upstream,
      environment: { DATABASE_URL: database.url, DEMO: 'off', SMTP_URL: mail.url, MAIL_FROM: 'school@example.com', HOOK: hookSecret },
    })
    undo.push(() => service.kill())
  })
  afterEach(async () => {
    await nginx?.stop()
    nginx = undefined
  })
  afterAll(async () => {
    for (const step of undo.reverse()) await step()
  })

  const begin = async (planted?: Record<string, string>): Promise<void> => {
    nginx = await startNginx({ port, plainPort, upstreams: [upstream, upstream], ...(planted && { planted }) })
  }
  const outboxRows = async (): Promise<{ kind: string; state: string }[]> => {
    const open = await openDatabase({ dataDirectory: home.data, databaseUrl: database.url })
    try {
      return await open.sql.query('SELECT kind, state FROM outbox')
    } finally {
      await open.close()
    }
  }
  const doctor = async (...more: string[]): Promise<CheckResult[]> => {
    const variables = {
      CONFIG_DIR: home.config,
      DATA_DIR: home.data,
      SECRET_KEY: rootSecret,
      DEMO: 'off',
      DATABASE_URL: database.url,
      HOOK: hookSecret,
    }
    return (await createCli({ variables })(['doctor', '--json', ...more])).json().checks
  }

  test('a healthy deployment passes every check', async () => {
    await begin()
    // The service creates the signing keys of a new school in the background.
    const checks = await until(
      async () => {
        const all = await doctor()
        return !all.some(({ id, state }) => id === 'keys' && state === 'failed') && all
      },
      { what: 'the signing keys' },
    )
    expect(checks.filter(({ state }) => state === 'failed' || state === 'warned')).toEqual([])
    expect(checks.filter(({ state }) => state === 'skipped').map(({ id }) => id)).toEqual([
      'client_keys',
      'redis',
      'mail',
      'http_to_https',
      'forwarded',
      'sign_out',
    ])
  })

  test('a deployment with a mail server and a receiver of webhooks gets no message and no event from it', async () => {
    await begin()
    expect(await doctor('--only', 'registration', 'sign_in')).toMatchObject([{ state: 'passed' }, { state: 'passed' }])
    await until(async () => (await outboxRows()).every(({ state }) => state !== 'pending'), { what: 'the outbox to be empty' })
    // The events were recorded, and those of others are delivered.
    expect((await outboxRows()).filter(({ kind }) => kind === 'webhook').length).toBeGreaterThan(2)
    expect({ received, messages: mail.messages }).toEqual({ received: [], messages: [] })
    const registration = { redirect_uris: ['http://127.0.0.1:5000/callback'] }
    const response = await fetch(`https://127.0.0.1:${port}/api/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(registration),
    })
    expect(response.status).toBe(201)
    await until(() => received.length === 1, { what: 'the event about another client' })
  })

  test.each([
    ['does not pass on Host', 'host', { 'proxy_set_header Host $http_host;': 'proxy_set_header Host $proxy_host;' }, '$http_host'],
    ['buffers event streams', 'streaming', { 'proxy_buffering off;': 'proxy_buffering on;' }, 'proxy_buffering off'],
    [
      'drops the weak ETag of compressed responses',
      'etag',
      {
        'location / {\n': `location @compressed {
      proxy_hide_header ETag;
      proxy_pass http://schoolgate;
    }
    location / {
      error_page 418 = @compressed;
      if ($http_accept_encoding ~ gzip) { return 418; }
`,
      },
      'keep ETag when it compresses',
    ],
    [
      'sends no X-Forwarded-For',
      'forwarded',
      { 'proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;': 'proxy_set_header X-Forwarded-For "";' },
      '$proxy_add_x_forwarded_for',
    ],
    ['limits bodies to 1 MiB', 'body_size', { 'client_max_body_size 16m;': 'client_max_body_size 1m;' }, 'client_max_body_size 16m'],
  ])('nginx that %s is found by the check %s, which names the way out', async (_name, id, planted, fix) => {
    await begin(planted as Record<string, string>)
    expect(await doctor('--only', id)).toMatchObject([{ id, state: 'failed', fix: expect.stringContaining(fix) }])
  })

  const redirect = async (base = 'https://127.0.0.1'): Promise<unknown> =>
    tlsChecks(base, plainPort)
      .find(({ id }) => id === 'http_to_https')
      ?.run()

  test('the delivered redirect from http to https passes, and a page in its place fails', async () => {
    await begin()
    expect(await redirect()).toMatchObject({ state: 'passed' })
    await nginx?.stop()
    await begin({ 'return 308 https://$host$request_uri;': 'return 200;' })
    expect(await redirect()).toMatchObject({ state: 'failed', fix: expect.stringContaining('308') })
  })

  test('a redirect to another host fails, and a closed port passes', async () => {
    const server = createServer((_request, response) => void response.writeHead(308, { location: 'https://elsewhere.example.com/' }).end())
    await new Promise<void>((listening) => server.listen(plainPort, '127.0.0.1', listening))
    expect(await redirect()).toMatchObject({ state: 'failed' })
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
    expect(await redirect()).toMatchObject({ state: 'passed', detail: 'port 80 is closed' })
  })
})
