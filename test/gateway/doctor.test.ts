import { createServer } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { CheckResult } from '../../src/cli/doctor/check.ts'
import { tlsChecks } from '../../src/cli/doctor/tlsChecks.ts'
import { createCli } from '../cli/cli.ts'
import { availableServices, throwawayPostgres } from '../support/databases.ts'
import { hasNginx, type Nginx, startNginx } from '../support/nginx.ts'
import { until } from '../support/poll.ts'
import { createHome, freePort, type Home, rootSecret, type ServiceProcess, startProcess } from '../support/process.ts'

const isRunnable = (await availableServices()).postgresql && (await hasNginx())

describe.runIf(isRunnable)('schoolgate doctor, and nginx with the file of deploy/', () => {
  let home: Home
  let database: Awaited<ReturnType<typeof throwawayPostgres>>
  let service: ServiceProcess
  let nginx: Nginx | undefined
  let [port, plainPort, upstream] = [0, 0, 0]
  const undo: (() => Promise<unknown>)[] = []

  beforeAll(async () => {
    ;[port, plainPort, upstream] = [await freePort(), await freePort(), await freePort()]
    database = await throwawayPostgres()
    undo.push(() => database.drop())
    home = await createHome({ issuer: `https://127.0.0.1:${port}`, server: { trusted_proxies: ['loopback'] } })
    undo.push(() => home.remove())
    service = await startProcess({ home, port: upstream, environment: { DATABASE_URL: database.url, DEMO: 'off' } })
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
  const doctor = async (...more: string[]): Promise<CheckResult[]> => {
    const variables = { CONFIG_DIR: home.config, DATA_DIR: home.data, SECRET_KEY: rootSecret, DEMO: 'off', DATABASE_URL: database.url }
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
    expect(checks.filter(({ state }) => state === 'skipped').map(({ id }) => id)).toEqual(['redis', 'mail', 'http_to_https', 'forwarded'])
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
