import { once } from 'node:events'
import { createServer, type Server, request as send } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAgent, get, personCalled, withToken } from '../support/agent.ts'
import { availableServices, throwawayPostgres } from '../support/databases.ts'
import { createHome, freePort, type Home, type ServiceProcess, startProcess } from '../support/process.ts'

const { postgresql, redis } = await availableServices()

/** A module that a process loads first: its clock is wrong by this much. */
const shiftedBy = (seconds: number): string =>
  `--import=data:text/javascript,${encodeURIComponent(
    `const RealDate = Date; const shift = ${seconds * 1000}; globalThis.Date = class extends RealDate { constructor(...given) { super(...(given.length ? given : [RealDate.now() + shift])) } static now() { return RealDate.now() + shift } }`,
  )}`

describe.runIf(postgresql && redis).each([300, -3600])('two processes, one of whose clocks is wrong by %i seconds', (seconds) => {
  let database: Awaited<ReturnType<typeof throwawayPostgres>>
  let home: Home
  let right: ServiceProcess
  let wrong: ServiceProcess
  let gateway: Server
  let issuer: string
  /** The paths that each process has got: they take turns. */
  const forwarded: [string[], string[]] = [[], []]
  beforeAll(async () => {
    database = await throwawayPostgres()
    const port = await freePort()
    issuer = `http://127.0.0.1:${port}`
    home = await createHome({ issuer })
    const environment = { DATABASE_URL: database.url, REDIS_URL: process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379' }
    right = await startProcess({ home, environment })
    wrong = await startProcess({ home, environment: { ...environment, NODE_OPTIONS: shiftedBy(seconds) } })
    const ports = [right, wrong].map((process) => Number(new URL(process.issuer).port))
    gateway = createServer((request, response) => {
      const next = forwarded[0].length <= forwarded[1].length ? 0 : 1
      const { method, url = '', headers } = request
      forwarded[next].push(url)
      const sent = send({ port: ports[next], host: '127.0.0.1', method, path: url, headers, agent: false }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      })
      request.pipe(sent)
    }).listen(port, '127.0.0.1')
    await once(gateway, 'listening')
  }, 180_000)
  afterAll(async () => {
    gateway?.closeAllConnections()
    gateway?.close()
    await Promise.all([right?.stop(), wrong?.stop()])
    await home?.remove()
    await database?.drop()
  }, 60_000)

  test('let a person sign in, and an app get and use tokens, when every request reaches the other process', async () => {
    const agent = await createAgent(issuer)
    const person = personCalled('learner001@example.org')
    for (let round = 0; round < 3; round += 1) {
      const redirect = await agent.send(person)
      const tokens = await agent.redeem(redirect)
      expect(tokens).toMatchObject({ status: 200 })
      for (let time = 0; time < 2; time += 1)
        expect((await withToken(`${issuer}/api/v1/account`, tokens.body.access_token)).status).toBe(200)
      const refreshed = await agent.refresh(tokens.body.refresh_token)
      expect(refreshed).toMatchObject({ status: 200 })
      // The next round begins at the other process.
      await get(`${issuer}/auth.md`)
    }
    // Whichever process redeems a code, the other one refreshes, and each of them checks a token.
    for (const paths of forwarded) expect(paths).toEqual(expect.arrayContaining(['/api/oauth/token', '/api/v1/account']))
  }, 120_000)

  test('report the wrong one: degraded, a metric and a warning', async () => {
    const { status, body } = await get(`${wrong.admin}/readyz`)
    expect([status, body.status, body.degraded]).toEqual([200, 'degraded', ['clock']])
    expect(body.checks.clock).toMatch(seconds > 0 ? /s ahead of the database/ : /s behind the database/)
    const [, skew] = /^schoolgate_clock_skew_seconds ([\d.]+)$/m.exec((await get(`${wrong.admin}/metrics`)).body) ?? []
    expect(Math.abs(Number(skew) - Math.abs(seconds))).toBeLessThan(5)
    expect(wrong.output()).toContain('clock differs from the database')
    expect((await get(`${right.admin}/readyz`)).body.status).toBe('ready')
  })
})
