import { rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { createKeyring } from '../../src/base/keyring.ts'
import { createLog } from '../../src/base/log/log.ts'
import { readEnvironment } from '../../src/config/environment.ts'
import { secretReader } from '../../src/config/webhookSecrets.ts'
import { type Service, serve } from '../../src/operate/serve/serve.ts'
import { migrationsDirectory } from '../../src/operate/serve/start.ts'
import { get } from '../support/agent.ts'
import { availableServices, throwawayPostgres } from '../support/databases.ts'
import { until } from '../support/poll.ts'
import { createHome, freePort, startProcess } from '../support/process.ts'
import { loadTestConfig, rootSecret } from '../support/service.ts'
import { openTcpProxy } from '../support/tcpProxy.ts'
import { schoolFile, writeConfig } from './cli/cli.ts'

const { postgresql, redis } = await availableServices()
const slugs = ['alpha', 'beta', 'gamma']
let directory: string
let database: Awaited<ReturnType<typeof throwawayPostgres>>
const undo: (() => Promise<unknown>)[] = []
const undoAll = async (): Promise<void> => {
  for (const step of undo.splice(0).reverse()) await step()
}
beforeAll(async () => {
  directory = await writeConfig(
    Object.fromEntries(slugs.map((slug, index) => [`schools/${slug}.yaml`, schoolFile(`http://127.0.0.${index + 1}:3000`, slug)])),
  )
  if (postgresql) database = await throwawayPostgres()
})
afterEach(undoAll)
afterAll(async () => {
  await database?.drop()
  await rm(directory, { recursive: true })
})

interface Start {
  service: Promise<Service>
  admin: string
  port: number
  log(): string
}

/** Begins a start, with three schools, and does not wait for it. */
async function begin(variables: Record<string, string> = {}, secret = rootSecret): Promise<Start> {
  const [port, adminPort] = [await freePort(), await freePort()]
  const lines: string[] = []
  const service = serve({
    environment: readEnvironment({
      ...{ PORT: String(port), ADMIN_PORT: String(adminPort), DATA_DIR: join(directory, '.data') },
      ...(postgresql ? { DATABASE_URL: database.url } : {}),
      ...variables,
    }),
    config: await loadTestConfig(directory),
    readSecret: secretReader({}),
    rootSecrets: [secret],
    log: createLog('info', new Writable({ write: (chunk, _encoding, done) => done(void lines.push(String(chunk))) })),
    migrations: migrationsDirectory,
  })
  service.then(
    (started) => undo.push(() => started.stop({ drainSeconds: 0 })),
    () => undefined,
  )
  return { service, admin: `http://127.0.0.1:${adminPort}`, port, log: () => lines.join('') }
}

const stores = [
  { variable: 'DATABASE_URL', server: 'PostgreSQL', isThere: postgresql, scheme: 'postgres', path: () => new URL(database.url).pathname },
  { variable: 'REDIS_URL', server: 'Redis', isThere: redis, scheme: 'redis', path: () => '' },
]
const targets: Record<string, string> = {
  DATABASE_URL: process.env.TEST_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres',
  REDIS_URL: process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379',
}

describe.each(stores)('while $server is unavailable at start', ({ variable, server, isThere, scheme, path }) => {
  test.runIf(isThere && postgresql)(
    '/livez answers 200, /readyz names the variable, /metrics says not ready, and the service starts when the server is there',
    async () => {
      const late = await freePort()
      const target = new URL(targets[variable] as string)
      const user = variable === 'DATABASE_URL' ? `${target.username}@` : ''
      const { service, admin, log } = await begin({ [variable]: `${scheme}://${user}127.0.0.1:${late}${path()}` })
      await until(async () => (await get(`${admin}/livez`)).status === 200, { what: '/livez to answer' })
      const waiting = await until(
        async () => {
          const response = await get(`${admin}/readyz`)
          return response.body.checks[variable] ? response : undefined
        },
        { what: `/readyz to name ${variable}` },
      )
      expect(waiting).toMatchObject({ status: 503, body: { status: 'not ready' } })
      expect(waiting.body.checks[variable]).toContain(`${server} is unavailable`)
      expect(await (await fetch(`${admin}/metrics`)).text()).toMatch(/^schoolgate_ready 0$/m)
      const proxy = await openTcpProxy(late, { host: target.hostname, port: Number(target.port) })
      undo.push(proxy.close)
      await service
      expect((await get(`${admin}/readyz`)).status).toBe(200)
      expect(log()).toContain(`"variable":"${variable}"`)
    },
    40_000,
  )

  test.runIf(postgresql)(
    'the start fails after START_TIMEOUT_SECONDS, and names the variable without its password',
    async () => {
      const url = `${scheme}://someone:hunter2secret@127.0.0.1:${await freePort()}`
      const { service, log } = await begin({ [variable]: url, START_TIMEOUT_SECONDS: '1' })
      const error = await service.then(
        () => new Error('it started'),
        (reason: Error) => reason,
      )
      expect(error.message).toMatch(new RegExp(`^${variable}: ${server} is unavailable: .*ECONNREFUSED.*START_TIMEOUT_SECONDS`))
      for (const text of [error.message, log()]) expect(text).not.toContain('hunter2secret')
    },
    20_000,
  )
})

describe.runIf(postgresql)('signing keys that SECRET_KEY does not open', () => {
  test('abort the start of three schools with the variable, the schools and the fix', async () => {
    const { service } = await begin()
    const { app } = await service
    await until(() => app.selfCheck.summary().passed === 3, { what: 'every school to have its keys' })
    await undoAll()

    const wrong = (await begin({}, `another ${rootSecret}`)).service
    await expect(wrong).rejects.toThrow(/^SECRET_KEY does not open the signing keys of alpha, beta, gamma\. Set it to the secret/)
  })

  test('of one school make the others no less ready, of all schools make /readyz 503; a school without keys is fine', async () => {
    const { service, admin } = await begin()
    const { database: open } = await service
    await open.sql.query(`DELETE FROM signing_key USING school WHERE school.id = school_id AND slug = 'gamma'`)
    expect(await get(`${admin}/readyz`)).toMatchObject({ status: 200, body: { checks: { keys: 'ok' } } })
    const sealed = createKeyring([`another ${rootSecret}`]).seal('signing keys', '{}')
    await open.sql.query(
      `INSERT INTO signing_key (school_id, kid, alg, private_jwk, active_at) SELECT id, 'k', 'ES256', $1, now() FROM school WHERE slug = 'beta'`,
      [sealed],
    )
    const degraded = await get(`${admin}/readyz`)
    expect(degraded).toMatchObject({ status: 200, body: { status: 'degraded', degraded: ['keys'] } })
    expect(degraded.body.checks.keys).toMatch(/^SECRET_KEY does not open the signing keys of beta\./)
    expect((await get(`${admin}/readyz?strict=1`)).status).toBe(503)
    await undoAll()
    const again = await begin()
    await again.service
    expect(again.log()).toContain('"msg":"signing keys unusable"')
    expect((await get(`${again.admin}/readyz`)).status).toBe(200)

    const { database: current } = await again.service
    await current.sql.query('UPDATE signing_key SET private_jwk = $1', [sealed])
    const unready = await get(`${again.admin}/readyz`)
    expect(unready).toMatchObject({ status: 503, body: { status: 'not ready' } })
    expect(unready.body.degraded).not.toContain('keys')
    expect(unready.body.checks.keys).toMatch(/^SECRET_KEY does not open the signing keys of alpha, beta/)
    await current.sql.query('DELETE FROM signing_key')
    expect((await get(`${again.admin}/readyz`)).status).toBe(200)
  })
})

describe('a port that cannot be opened', () => {
  test('is named with its variable', async () => {
    const port = await freePort()
    const holder = createServer()
    holder.listen(port, '127.0.0.1')
    undo.push(async () => holder.close())
    for (const variable of ['PORT', 'ADMIN_PORT']) {
      await expect((await begin({ [variable]: String(port) })).service).rejects.toThrow(`${variable}: port ${port} is in use on 127.0.0.1`)
    }
  })

  test('names HOST if it is not an address of this machine', async () => {
    await expect((await begin({ HOST: '203.0.113.7' })).service).rejects.toThrow('HOST: 203.0.113.7 is not an address of this machine')
  })
})

describe.runIf(postgresql)('without a terminal', () => {
  const isJson = (line: string): boolean => {
    try {
      return typeof JSON.parse(line) === 'object'
    } catch {
      return false
    }
  }
  const linesOf = (output: string): string[] => output.split('\n').filter(Boolean)

  test('every line that the process prints is JSON: that it is ready, and that an introspection client is unknown', async () => {
    const home = await createHome()
    undo.push(home.remove)
    const server = { identifier: 'urn:reports', name: 'Reports', scopes: ['openid'], introspection_clients: ['nobody-knows'] }
    await writeFile(join(home.config, 'resources.yaml'), stringify({ resource_servers: [server] }))
    // The other tests share a database, which belongs to their file storage.
    const own = await throwawayPostgres()
    undo.push(own.drop)
    const process = await startProcess({ home, environment: { DATABASE_URL: own.url, DEMO: 'off' } })
    undo.push(process.kill)
    await until(() => process.output().includes('service ready'), { what: 'the service to say that it is ready' })
    expect(linesOf(process.output()).filter((line) => !isJson(line))).toEqual([])
    expect(process.output()).toContain('resource_servers[0].introspection_clients[0]')
    expect(process.output()).toContain('unknown introspection client')
  })

  test('a start that fails prints one JSON line with the reason, and ends with 1', async () => {
    const home = await createHome()
    undo.push(home.remove)
    const environment = { DATABASE_URL: 'postgres://someone:hunter2secret@127.0.0.1:1/x', START_TIMEOUT_SECONDS: '0', LOG_LEVEL: 'fatal' }
    const failed = String(await startProcess({ home, environment }).catch((error) => error))
    const [, code, output = ''] = /the service ended with (\d+): (.*)/s.exec(failed) ?? []
    expect(code).toBe('1')
    expect(linesOf(output).map((line) => JSON.parse(line))).toMatchObject([
      { level: 60, msg: 'cannot start', reason: expect.stringMatching(/^DATABASE_URL: PostgreSQL is unavailable: .*ECONNREFUSED/) },
    ])
    expect(output).not.toContain('hunter2secret')
  })
})
