import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { availableServices, throwawayPostgres } from '../support/databases.ts'
import { hasNginx, type Nginx, startNginx } from '../support/nginx.ts'
import { until } from '../support/poll.ts'
import { createHome, freePort, type Home, type ServiceProcess, startProcess } from '../support/process.ts'
import { addLoadPeople, startMixedLoad } from './mixedLoad.ts'

const { postgresql, redis: hasRedis } = await availableServices()
const redisUrl = process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379'

describe.runIf(postgresql && hasRedis && (await hasNginx()))('two processes behind nginx that are restarted in turn', () => {
  let home: Home
  let database: Awaited<ReturnType<typeof throwawayPostgres>>
  let nginx: Nginx
  let issuer: string
  const [ports, processes]: [number[], ServiceProcess[]] = [[], []]
  const undo: (() => Promise<unknown>)[] = []
  const start = (index: number): Promise<ServiceProcess> =>
    startProcess({ home, port: ports[index] as number, environment: { DATABASE_URL: database.url, REDIS_URL: redisUrl, DEMO: 'off' } })

  beforeAll(async () => {
    database = await throwawayPostgres()
    undo.push(() => database.drop())
    const port = await freePort()
    issuer = `https://127.0.0.1:${port}`
    home = await createHome({ issuer, server: { drain_seconds: 1, trusted_proxies: ['loopback'] } })
    undo.push(() => home.remove())
    ports.push(await freePort(), await freePort())
    nginx = await startNginx({ port, plainPort: await freePort(), upstreams: ports })
    undo.push(() => nginx.stop())
    processes.push(await start(0))
    processes.push(await start(1))
    undo.push(async () => {
      for (const service of processes) await service.kill()
    })
    await addLoadPeople(database.url)
  })
  afterAll(async () => {
    for (const step of undo.reverse()) await step()
  })

  test('no request of a mixed load fails, no acknowledged change is lost, and no token is lost', async () => {
    const load = await startMixedLoad(issuer, database.url)
    try {
      await until(() => (load.counts().flow ?? 0) > 0, { what: 'the first flow of openid-client' })
      for (const index of [0, 1]) {
        expect(await processes[index]?.stop()).toBe(0)
        const restarted = await start(index)
        processes[index] = restarted
        await until(() => restarted.output().includes('/api/oauth/userinfo'), { what: 'nginx to use the process again' })
      }
    } finally {
      await load.stop()
    }
    expect(load.failures, await nginx.errors()).toEqual([])
    for (const [name, count] of Object.entries(load.counts()))
      expect([name, count]).toEqual([name, expect.toSatisfy((made: number) => made >= 2)])
    expect(await load.lost()).toEqual([])
  })
})
