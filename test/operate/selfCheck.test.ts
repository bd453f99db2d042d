import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLog } from '../../src/base/log/log.ts'
import { readEnvironment } from '../../src/config/environment.ts'
import { secretReader } from '../../src/config/webhookSecrets.ts'
import { type Service, serve } from '../../src/operate/serve/serve.ts'
import { migrationsDirectory } from '../../src/operate/serve/start.ts'
import { get } from '../support/agent.ts'
import { availableServices, throwawayPostgres } from '../support/databases.ts'
import { until } from '../support/poll.ts'
import { freePort } from '../support/process.ts'
import { loadTestConfig, rootSecret, writeConfig } from '../support/service.ts'

const { postgresql } = await availableServices()
const undo: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

describe.runIf(postgresql)('a service whose catalogue is locked while it starts', () => {
  let service: Service
  let lock: Client
  let admin: string
  let issuer: string
  beforeAll(async () => {
    const { url, drop } = await throwawayPostgres()
    undo.push(drop)
    const directory = await mkdtemp(join(tmpdir(), 'schoolgate-self-check-'))
    undo.push(() => rm(directory, { recursive: true, force: true }))
    const [port, adminPort] = [await freePort(), await freePort()]
    ;[issuer, admin] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${adminPort}`]
    await writeConfig(directory, {}, [issuer])
    lock = new Client({ connectionString: url })
    await lock.connect()
    undo.push(() => lock.end())
    await lock.query('BEGIN; LOCK TABLE course IN ACCESS EXCLUSIVE MODE')
    service = await serve({
      environment: readEnvironment({
        PORT: String(port),
        ADMIN_PORT: String(adminPort),
        DATA_DIR: join(directory, 'data'),
        DATABASE_URL: url,
      }),
      config: await loadTestConfig(directory),
      readSecret: secretReader({}),
      rootSecrets: [rootSecret],
      log: createLog('silent'),
      migrations: migrationsDirectory,
    })
    undo.push(() => service.stop())
  })

  test('is ready, and answers everything that does not need the locked table', async () => {
    expect(await get(`${admin}/readyz`)).toMatchObject({ status: 200, body: { status: 'ready' } })
    expect((await get(`${issuer}/.well-known/oauth-authorization-server`)).status).toBe(200)
  })

  test('has its self-check passed by itself once the lock is gone: no request has to come first', async () => {
    await lock.query('COMMIT')
    const passed = async (): Promise<boolean> => (await get(`${admin}/readyz`)).body.self_check?.passed === 1
    await until(passed, { what: 'the self-check to pass' })
  })
})
