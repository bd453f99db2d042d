import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type RequestListener, request, Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Server as NetServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../../src/database/connection/database.ts'
import type { CheckResult } from '../../../src/operate/doctor/check.ts'
import { embeddedDatabase } from '../../support/databases.ts'
import { trustedCertificate } from '../../support/nginx.ts'
import { createHome, freePort, type Home, rootSecret, type ServiceProcess, startProcess } from '../../support/process.ts'
import { type SmtpServer, startSmtpServer } from '../../support/smtpServer.ts'
import { type Cli, createCli, schoolFile, writeConfig } from './cli.ts'

/** Misbehaviour of a gateway: changes of a request on its way in, or of a response on its way out. */
interface Misbehaviour {
  request?(near: IncomingMessage, headers: Record<string, string | string[] | undefined>): void
  /** Answers in place of the service. */
  instead?(near: IncomingMessage, response: ServerResponse): boolean
  response?(headers: IncomingMessage['headers'], near: IncomingMessage): void
  isBuffering?: boolean
}

let planted: Misbehaviour = {}
let service: ServiceProcess
let home: Home
let cli: Cli
let issuer: string
const stops: (() => unknown)[] = []

/** A gateway that compresses text, appends to X-Forwarded-For, and misbehaves as planted. */
const gateway: RequestListener = (near, response) => {
  if (planted.instead?.(near, response)) return
  const earlier = near.headers['x-forwarded-for']
  const headers: Record<string, string | string[] | undefined> = {
    ...near.headers,
    'x-forwarded-for': earlier ? `${earlier}, 198.51.100.7` : '198.51.100.7',
  }
  planted.request?.(near, headers)
  for (const name of Object.keys(headers)) if (headers[name] === undefined) delete headers[name]
  const far = request(
    service.issuer + near.url,
    { method: near.method, headers: headers as Record<string, string>, agent: false },
    async (answer) => {
      const out = { ...answer.headers }
      planted.response?.(out, near)
      const isZipped = near.url === '/auth.md' && String(near.headers['accept-encoding']).includes('gzip') && answer.statusCode === 200
      if (!isZipped && !planted.isBuffering) {
        response.writeHead(answer.statusCode ?? 502, out)
        return answer.pipe(response)
      }
      const body = await buffer(answer)
      const sent = isZipped ? gzipSync(body) : body
      const { 'transfer-encoding': _, ...kept } = out
      response.writeHead(answer.statusCode ?? 502, {
        ...kept,
        'content-length': sent.length,
        ...(isZipped && { 'content-encoding': 'gzip', vary: 'Accept-Encoding' }),
      })
      return response.end(sent)
    },
  )
  far.on('error', () => response.destroy())
  near.pipe(far)
}

const serve = async (server: NetServer, port = 0): Promise<number> => {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  stops.push(() => {
    if (server instanceof Server) server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

beforeAll(async () => {
  const port = await freePort()
  issuer = `http://127.0.0.1:${port}`
  home = await createHome({ issuer, server: { trusted_proxies: ['loopback'] } })
  service = await startProcess({ home, environment: { DEMO: 'off', RATE_LIMITS: 'on' } })
  await serve(createServer(gateway), port)
  cli = createCli({ variables: { CONFIG_DIR: home.config, DATA_DIR: home.data, SECRET_KEY: rootSecret, DEMO: 'off' } })
  await cli(['jobs', 'run', 'sweep_artifacts'])
}, 60_000)
afterAll(async () => {
  for (const stop of stops) stop()
  await service.stop()
  await home.remove()
})
afterEach(() => {
  planted = {}
})

const doctor = async (run: Cli, ...more: string[]): Promise<{ exitCode: number; err: string; checks: CheckResult[] }> => {
  const { exitCode, err, out } = await run(['doctor', '--json', ...more])
  return { exitCode, err, checks: out === '' ? [] : JSON.parse(out).checks }
}

describe('behind a gateway', () => {
  test('a healthy deployment passes every check, and nothing that was created stays', async () => {
    const result = await cli(['doctor', '--json'])
    const report = result.json()
    expect(report.checks.filter(({ state }: CheckResult) => state === 'failed' || state === 'warned')).toEqual([])
    expect(result).toMatchObject({ exitCode: 0 })
    expect(report).toMatchObject({ version: 1, failed: 0, warned: 0, started_at: expect.any(String) })
    for (const check of report.checks)
      expect(check).toEqual({
        id: expect.any(String),
        school: check.school,
        state: check.state,
        detail: expect.any(String),
        fix: null,
        milliseconds: expect.any(Number),
      })
    const passed = report.checks.filter(({ state }: CheckResult) => state === 'passed').map(({ id }: CheckResult) => id)
    expect(passed).toEqual(
      expect.arrayContaining(['sign_in', 'registration', 'discovery', 'mcp', 'forwarded', 'streaming', 'storage', 'keys']),
    )
    expect((await cli(['clients', 'list', '--via', 'self', '--json'])).json()).toEqual([])
    expect((await cli(['people', 'list', '--json'])).json()).toEqual([])
  })

  test('the table names every check, and the exit code follows', async () => {
    const table = await cli(['doctor', '--only', 'host', 'cors'])
    expect(table).toMatchObject({ exitCode: 0, out: expect.stringMatching(/^passed +cors +demo/m) })
    planted = { instead: (near, response) => near.method === 'OPTIONS' && Boolean(response.writeHead(405).end()) }
    const bad = await cli(['doctor', '--only', 'host', 'cors'])
    expect(bad).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('1 of 2 checks failed: cors'),
      out: expect.stringContaining('pass OPTIONS on'),
    })
  })

  const gateways: [name: string, check: string, misbehaviour: Misbehaviour][] = [
    ['changes Host', 'host', { request: (_near, headers) => Object.assign(headers, { host: 'internal:3000' }) }],
    ['drops X-Forwarded-For', 'forwarded', { request: (_near, headers) => Object.assign(headers, { 'x-forwarded-for': undefined }) }],
    [
      'passes on the X-Forwarded-For of callers',
      'forwarded',
      { request: (near, headers) => Object.assign(headers, { 'x-forwarded-for': near.headers['x-forwarded-for'] }) },
    ],
    ['removes Authorization', 'authorization', { request: (_near, headers) => Object.assign(headers, { authorization: undefined }) }],
    ['removes Authorization', 'challenge', { request: (_near, headers) => Object.assign(headers, { authorization: undefined }) }],
    ['removes ETag', 'etag', { response: (headers) => delete headers.etag }],
    ['holds event streams back', 'streaming', { isBuffering: true }],
    [
      'rewrites redirects',
      'redirects',
      {
        response: (headers) =>
          headers.location && Object.assign(headers, { location: headers.location.replace('127.0.0.1:53682', '127.0.0.1') }),
      },
    ],
    [
      'rewrites redirects',
      'sign_in',
      {
        response: (headers) =>
          headers.location?.includes('53682') && Object.assign(headers, { location: headers.location.replace('53682', '80') }),
      },
    ],
    ['blocks OPTIONS', 'cors', { instead: (near, response) => near.method === 'OPTIONS' && Boolean(response.writeHead(405).end()) }],
    ['removes cookies', 'sign_in', { response: (headers) => delete headers['set-cookie'] }],
    [
      'lets caches store tokens',
      'token_endpoint',
      { response: (headers, near) => near.url === '/api/oauth/token' && Object.assign(headers, { 'cache-control': 'public, max-age=60' }) },
    ],
    [
      'has a wrong clock',
      'clock',
      { response: (headers) => Object.assign(headers, { date: new Date(Date.now() + 3_600_000).toUTCString() }) },
    ],
    [
      'limits bodies to 1 MiB',
      'body_size',
      {
        instead: (near, response) =>
          Number(near.headers['content-length'] ?? 0) > 1_048_576 &&
          Boolean(near.resume() && response.writeHead(413, { connection: 'close' }).end()),
      },
    ],
    [
      'serves well-known paths itself',
      'discovery',
      {
        instead: (near, response) =>
          Boolean(near.url?.endsWith('/mcp') && near.url.startsWith('/.well-known') && response.writeHead(404).end()),
      },
    ],
    [
      'leads to the private port',
      'private_paths',
      {
        instead: (near, response) =>
          near.url === '/metrics' && Boolean(response.writeHead(200, { 'content-type': 'text/plain' }).end('# HELP')),
      },
    ],
    ['blocks MCP', 'mcp', { instead: (near, response) => near.url === '/mcp' && Boolean(near.resume() && response.writeHead(502).end()) }],
    [
      'refuses registrations',
      'registration',
      { instead: (near, response) => near.url === '/api/oauth/register' && Boolean(near.resume() && response.writeHead(403).end()) },
    ],
    ['does not compress', 'compression', { request: (near) => Object.assign(near.headers, { 'accept-encoding': '' }) }],
  ]
  test.each(gateways)('a gateway that %s is found by the check %s', async (_name, id, misbehaviour) => {
    planted = misbehaviour
    const { exitCode, checks } = await doctor(cli, '--only', id)
    expect(checks).toMatchObject([{ id, state: id === 'compression' ? 'warned' : 'failed', fix: expect.stringMatching(/\w{3}/) }])
    expect(exitCode).toBe(id === 'compression' ? 0 : 1)
  })

  test('another address than that of the issuer is found', async () => {
    const { exitCode, checks } = await doctor(cli, '--only', 'address', '--base-url', service.issuer)
    expect(checks).toMatchObject([{ id: 'address', state: 'failed', detail: expect.stringContaining(issuer) }])
    expect(exitCode).toBe(1)
  })

  test('a gateway that does not respond fails each check, and the command ends', async () => {
    const { checks } = await doctor(
      cli,
      '--only',
      'address',
      'certificate',
      'storage',
      '--base-url',
      `http://127.0.0.1:${await freePort()}`,
    )
    expect(checks.map(({ id, state }) => `${id} ${state}`)).toEqual(['storage passed', 'certificate skipped', 'address failed'])
  })
})

describe('the installation', () => {
  test.each([
    ['--base-url', 'nonsense'],
    ['--base-url', 'https://school.example.com/path'],
    ['--only', 'magic'],
    ['--school', 'nowhere'],
    ['--mail-to', 'nobody'],
  ])('%s %s is a usage error in one line', async (option, value) => {
    const { exitCode, out, err } = await cli(['doctor', option, value])
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' })
    expect(err.trim().split('\n')).toHaveLength(1)
  })

  test('a missing key, a pending migration, a storage without space, an unknown time zone, a mail server that refuses and a backlog are named', async () => {
    const database = await embeddedDatabase()
    const directory = await writeConfig({ 'schools/demo.yaml': schoolFile('http://127.0.0.1:1', 'Demo School') })
    const refusing = createTcpServer((socket) => socket.on('error', () => undefined).end('554 no service here\r\n'))
    const port = await serve(refusing)
    const variables = {
      CONFIG_DIR: directory,
      DATA_DIR: join(directory, '.data'),
      SECRET_KEY: rootSecret,
      SMTP_URL: `smtp://127.0.0.1:${port}`,
    }
    const own = createCli({ variables, database })
    await own(['people', 'create', 'ada@example.org', '--name', 'Ada', '--password-stdin'], { input: 'seven lanterns in the fog' })
    await mkdir(join(directory, '.data'), { recursive: true })
    await writeFile(join(directory, '.data/files'), 'not a directory')
    await database.sql.query(`UPDATE school SET time_zone = 'Mars/Olympus'`)
    const local = ['--only', 'keys', 'storage', 'time_zone', 'mail', 'migrations', 'database']
    const states = async (run: Cli) => Object.fromEntries((await doctor(run, ...local)).checks.map(({ id, state }) => [id, state]))
    expect(await states(own)).toEqual({
      keys: 'failed',
      storage: 'failed',
      time_zone: 'failed',
      mail: 'failed',
      migrations: 'passed',
      database: 'passed',
    })
    await own(['keys', 'rotate'])
    expect(await states(own)).toMatchObject({ keys: 'passed' })
    expect(
      await states(createCli({ variables: { ...variables, SECRET_KEY: 'another root secret that is long enough' }, database })),
    ).toMatchObject({ keys: 'failed' })
    await database.sql.query(`INSERT INTO outbox (school_id, kind, expires_at, created_at)
      SELECT school.id, 'bulk_email', now() + interval '1 day', now() - interval '2 hours' FROM school, generate_series(1, 10001)`)
    expect((await doctor(own, '--only', 'mail_queue')).checks).toMatchObject([
      { state: 'warned', detail: 'bulk_email: 10001 wait, the oldest for 120 min' },
    ])
    await database.sql.query('DELETE FROM _prisma_migrations WHERE migration_name = (SELECT max(migration_name) FROM _prisma_migrations)')
    expect(await states(own)).toMatchObject({ migrations: 'failed' })
    await database.close()
    await chmod(directory, 0o700)
    rmSync(directory, { recursive: true })
  })

  test('an expired certificate is named', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'schoolgate-certificate-'))
    const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
    openssl('req', '-newkey', 'rsa:2048', '-nodes', '-keyout', 'key.pem', '-subj', '/CN=localhost', '-out', 'request.pem')
    await writeFile(join(folder, 'index.txt'), '')
    await writeFile(
      join(folder, 'ca.cnf'),
      '[ca]\ndefault_ca=own\n[own]\nnew_certs_dir=.\ndatabase=index.txt\nrand_serial=yes\ndefault_md=sha256\npolicy=any\n[any]\ncommonName=supplied\n',
    )
    openssl(
      'ca',
      '-batch',
      '-config',
      'ca.cnf',
      '-selfsign',
      '-keyfile',
      'key.pem',
      '-in',
      'request.pem',
      '-out',
      'certificate.pem',
      '-startdate',
      '20200101000000Z',
      '-enddate',
      '20210101000000Z',
    )
    const [key, cert] = ['key.pem', 'certificate.pem'].map((name) => readFileSync(join(folder, name)))
    const port = await serve(createTlsServer({ key, cert }, gateway))
    const { exitCode, checks } = await doctor(cli, '--only', 'certificate', '--base-url', `https://localhost:${port}`)
    expect(checks).toMatchObject([{ id: 'certificate', state: 'failed', detail: expect.stringContaining('expired') }])
    expect(exitCode).toBe(1)
    rmSync(folder, { recursive: true })
  })
})

let database: Database
let directory: string
let folder: string
beforeAll(async () => {
  database = await embeddedDatabase()
  directory = await writeConfig({ 'schools/demo.yaml': schoolFile('http://127.0.0.1:1', 'Demo School') })
  folder = await mkdtemp(join(tmpdir(), 'schoolgate-smtp-'))
})
afterAll(async () => {
  await database.close()
  await rm(directory, { recursive: true })
  await rm(folder, { recursive: true })
})

async function check(
  id: string,
  { variables = {}, more = [] }: { variables?: Record<string, string>; more?: string[] } = {},
): Promise<CheckResult> {
  const cli = createCli({
    variables: { CONFIG_DIR: directory, DATA_DIR: join(directory, '.data'), SECRET_KEY: rootSecret, ...variables },
    database,
  })
  const { checks } = (await cli(['doctor', '--json', '--only', id, ...more])).json()
  expect(checks).toHaveLength(1)
  return checks[0]
}

describe('the clock of the database', () => {
  const plant = (seconds: number): Promise<unknown> =>
    database.sql.query(`CREATE OR REPLACE FUNCTION planted.clock_timestamp() RETURNS timestamptz LANGUAGE sql
      AS $$ SELECT pg_catalog.clock_timestamp() + interval '${seconds} s' $$`)
  beforeAll(async () => {
    await database.sql.query('CREATE SCHEMA planted')
    await plant(0)
    await database.sql.query('SET search_path = planted, pg_catalog, public')
  })
  afterAll(() => database.sql.query('RESET search_path'))

  test.each([
    [0, 'passed', null],
    [10, 'warned', 'NTP'],
    [-10, 'warned', 'NTP'],
    [300, 'failed', 'NTP'],
    [-3600, 'failed', 'NTP'],
  ])('that differs by %i seconds has %s', async (seconds, state, fix) => {
    await plant(seconds)
    expect(await check('database_clock')).toMatchObject({ state, fix: fix === null ? null : expect.stringContaining(fix) })
  })
})

describe('the mail server', () => {
  const ask = (server: SmtpServer, ...more: string[]): Promise<CheckResult> =>
    check('mail', { variables: { SMTP_URL: `smtp://127.0.0.1:${server.port}`, MAIL_FROM: 'school@example.com' }, more })
  const recipients = ({ heard }: SmtpServer): string[] => heard.map(({ line }) => line).filter((line) => line.startsWith('RCPT'))

  test('that offers STARTTLS passes, and gets the test message of --mail-to once, encrypted', async () => {
    const { key, certificate } = await trustedCertificate(folder)
    const server = await startSmtpServer({ key: await readFile(key), cert: await readFile(certificate) })
    expect(await ask(server)).toMatchObject({ state: 'passed' })
    expect(recipients(server)).toEqual([])
    expect(await ask(server, '--mail-to', 'ops@example.com')).toMatchObject({
      state: 'passed',
      detail: expect.stringContaining('ops@example.com'),
    })
    expect(recipients(server)).toEqual(['RCPT TO:<ops@example.com>'])
    const subject = server.heard.filter(({ line }) => line.startsWith('Subject:'))
    expect(subject).toEqual([{ line: 'Subject: Test message of Schoolgate', isEncrypted: true }])
    await server.stop()
  })

  test('that offers no STARTTLS is a warning with the way out', async () => {
    const server = await startSmtpServer()
    expect(await ask(server)).toMatchObject({ state: 'warned', fix: expect.stringContaining('STARTTLS') })
    await server.stop()
  })
})
