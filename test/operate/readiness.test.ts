import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createReadiness, type Part, PartialLoss, summarise } from '../../src/operate/serve/readiness.ts'
import { get } from '../support/agent.ts'
import { type BucketServer, startBucketServer } from '../support/bucketServer.ts'
import { availableServices, throwawayPostgres } from '../support/databases.ts'
import { until } from '../support/poll.ts'
import { createHome, freePort, type Home, type ServiceProcess, startProcess } from '../support/process.ts'
import { openTcpProxy, type TcpProxy } from '../support/tcpProxy.ts'

const silent = { info: () => undefined, warn: () => undefined }
const { postgresql, redis } = await availableServices()

describe('the state of a process', () => {
  const failing = (loses: Part['loses'], error: Error = new Error('away')): Part => ({ loses, check: () => Promise.reject(error) })
  const works: Part = { loses: 'all', check: async () => undefined }
  const statusOf = async (part: Part, isStrict = false) => summarise(await createReadiness({ works, part }, silent).states(), { isStrict })

  test('is not ready if all requests fail, degraded if some or none do, and not ready in the strict form if some do', async () => {
    expect(await statusOf(works)).toEqual({ status: 'ready', checks: { works: 'ok', part: 'ok' }, degraded: [] })
    expect(await statusOf(failing('all'))).toEqual({ status: 'not ready', checks: { works: 'ok', part: 'away' }, degraded: [] })
    for (const loses of ['some', 'none'] as const)
      expect(await statusOf(failing(loses))).toEqual({ status: 'degraded', checks: { works: 'ok', part: 'away' }, degraded: ['part'] })
    expect(await statusOf(failing('all', new PartialLoss('half')))).toMatchObject({ status: 'degraded', checks: { part: 'half' } })
    const strict = await Promise.all((['all', 'some', 'none'] as const).map((loses) => statusOf(failing(loses), true)))
    expect(strict.map(({ status }) => status)).toEqual(['not ready', 'not ready', 'degraded'])
  })

  test('does not wait for a part that hangs once its state is known, and asks it once at a time', async () => {
    let calls = 0
    let isHanging = false
    const part: Part = {
      loses: 'some',
      async check() {
        calls += 1
        if (isHanging) await new Promise(() => undefined)
      },
    }
    const readiness = createReadiness({ part }, silent)
    expect(await readiness.states()).toMatchObject([{ reason: undefined }])
    isHanging = true
    expect(await Promise.all([readiness.states(), readiness.states()])).toMatchObject([[{ reason: undefined }], [{ reason: undefined }]])
    expect(calls).toBe(2)
    await until(async () => (await readiness.states())[0]?.reason === 'it did not answer within 3000 ms', { what: 'the deadline' })
  })
})

describe.runIf(postgresql && redis)('a process with PostgreSQL, Redis and a bucket', () => {
  let database: Awaited<ReturnType<typeof throwawayPostgres>>
  let home: Home
  let bucket: BucketServer
  let service: ServiceProcess
  const proxies = new Map<'redis' | 'storage', { port: number; target: URL; open?: TcpProxy | undefined }>()

  beforeAll(async () => {
    bucket = await startBucketServer()
    database = await throwawayPostgres()
    proxies.set('redis', { port: await freePort(), target: new URL(process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379') })
    proxies.set('storage', { port: await freePort(), target: new URL(bucket.endpoint) })
    for (const part of proxies.keys()) await give(part)
    home = await createHome()
    service = await startProcess({
      home,
      environment: {
        DATABASE_URL: database.url,
        REDIS_URL: `redis://127.0.0.1:${proxies.get('redis')?.port}`,
        STORAGE_URL: `s3://files?endpoint=${encodeURIComponent(`http://127.0.0.1:${proxies.get('storage')?.port}`)}`,
        AWS_ACCESS_KEY_ID: 'test',
        AWS_SECRET_ACCESS_KEY: 'test',
        DEMO: 'off',
      },
    })
  })
  afterEach(async () => {
    for (const part of proxies.keys()) await give(part)
  })
  afterAll(async () => {
    await service?.stop()
    for (const { open } of proxies.values()) await open?.close()
    await home?.remove()
    await database?.drop()
    await bucket?.close()
  })

  const proxyOf = (part: 'redis' | 'storage') => proxies.get(part) as NonNullable<ReturnType<typeof proxies.get>>
  async function give(part: 'redis' | 'storage'): Promise<void> {
    const proxy = proxyOf(part)
    proxy.open ??= await openTcpProxy(proxy.port, { host: proxy.target.hostname, port: Number(proxy.target.port || 6379) })
  }
  async function take(part: 'redis' | 'storage'): Promise<void> {
    const proxy = proxyOf(part)
    await proxy.open?.close()
    proxy.open = undefined
  }
  const become = (status: string) =>
    until(
      async () => {
        const response = await get(`${service.admin}/readyz`)
        return response.body.status === status ? response : undefined
      },
      { what: `/readyz to be ${status}` },
    )
  const metric = async (series: string): Promise<string | undefined> =>
    (await (await fetch(`${service.admin}/metrics`)).text())
      .split('\n')
      .find((line) => line.startsWith(`${series} `))
      ?.split(' ')[1]

  test.each(['redis', 'storage'] as const)(
    'stays ready without %s, which /readyz, the strict form, metrics and the log report',
    async (part) => {
      await become('ready')
      expect(await metric(`schoolgate_degraded{part="${part}"}`)).toBe('0')
      await take(part)
      const response = await become('degraded')
      expect(response).toMatchObject({ status: 200, body: { degraded: [part], checks: { database: 'ok', migrations: 'ok', keys: 'ok' } } })
      expect(response.body.checks[part]).toContain('ECONNREFUSED')
      expect(await get(`${service.admin}/readyz?strict=1`)).toMatchObject({ status: 503, body: { status: 'not ready', degraded: [part] } })
      expect(await metric(`schoolgate_degraded{part="${part}"}`)).toBe('1')
      expect(await metric('schoolgate_ready')).toBe('1')
      expect(service.output()).toMatch(new RegExp(`"part":"${part}","reason":".*"loses":"some","msg":"part unavailable"`))
      await give(part)
      await become('ready')
      expect((await get(`${service.admin}/readyz?strict=1`)).status).toBe(200)
      expect(await metric(`schoolgate_degraded{part="${part}"}`)).toBe('0')
      expect(service.output()).toMatch(new RegExp(`"part":"${part}","msg":"part available again"`))
    },
  )
})
