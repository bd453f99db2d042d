import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { availableServices, throwawayPostgres } from '../support/databases.ts'
import { until } from '../support/poll.ts'
import { createHome, type Home, memoryOf, type ServiceProcess, startProcess } from '../support/process.ts'

const { postgresql } = await availableServices()
const longDrainSeconds = 60

describe.runIf(postgresql)('stopping a process', () => {
  let home: Home
  let database: Awaited<ReturnType<typeof throwawayPostgres>>
  beforeAll(async () => {
    home = await createHome({ server: { drain_seconds: longDrainSeconds } })
    database = await throwawayPostgres()
  })
  afterAll(async () => {
    await database.drop()
    await home.remove()
  })
  const start = (more: Record<string, string> = {}): Promise<ServiceProcess> =>
    startProcess({ home, environment: { DATABASE_URL: database.url, DEMO: 'off', ...more } })

  test('SIGTERM turns readiness off in all workers while requests are still accepted, and a second signal ends the wait with 0', async () => {
    const service = await start({ WORKERS: '2' })
    try {
      await until(() => count(service, 'service ready') === 2, { what: 'both workers to be ready' })
      // The supervisor loads none of the modules of the service, which would take 170 MB.
      expect(await memoryOf(service.child.pid as number, 'VmRSS')).toBeLessThan(110)
      const ended = once(service.child, 'exit')
      service.child.kill('SIGTERM')
      const begin = performance.now()
      await until(() => count(service, 'stopping') === 2, { what: 'both workers to drain' })
      const drainingSince = performance.now()
      const readiness = await fetch(`${service.admin}/readyz`)
      expect([readiness.status, await readiness.json()]).toMatchObject([503, { checks: { stopping: 'this process is shutting down' } }])
      for (const path of ['/api/v1/courses', '/.well-known/openid-configuration', '/no-such-page', '/auth.md']) {
        const { headers, statusCode } = await keepAliveGet(service.issuer + path)
        expect([path, headers.connection]).toEqual([path, 'close'])
        expect(statusCode).toBeLessThan(500)
      }
      // Within a second a signal is a copy of the first one: from a terminal, from npm or from the supervisor.
      await until(() => performance.now() - drainingSince > 1500, { what: 'a second to pass' })
      service.child.kill('SIGTERM')
      expect(await ended).toEqual([0, null])
      expect(performance.now() - begin).toBeLessThan((longDrainSeconds * 1000) / 2)
    } finally {
      await service.kill()
    }
  })

  test('Ctrl-C ends it without draining', async () => {
    const service = await start()
    try {
      const [ended, begin] = [once(service.child, 'exit'), performance.now()]
      service.child.kill('SIGINT')
      expect(await ended).toEqual([0, null])
      expect(performance.now() - begin).toBeLessThan((longDrainSeconds * 1000) / 2)
    } finally {
      await service.kill()
    }
  })
})

/** How often a log line has appeared. */
const count = (service: ServiceProcess, message: string): number => service.output().split(`"msg":"${message}"`).length - 1

async function keepAliveGet(address: string): Promise<IncomingMessage> {
  const sent = request(address, { headers: { connection: 'keep-alive' } })
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  response.resume()
  return response
}
