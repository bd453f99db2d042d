import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRedis, type RedisConnection } from '../../src/database/redis/redis.ts'
import { type Agent, createAgent, get, personCalled } from '../support/agent.ts'
import { availableServices, databasesToTest, openDatabaseTwice, throwawayRedis } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { startService, type TestService } from '../support/service.ts'
import { createBrowser } from './browser.ts'

const { redis: hasRedis } = await availableServices()
const owner = 'owner@example.com'
const changes: { path: string; body: object }[] = [
  { path: 'school', body: { name: 'First name' } },
  { path: 'school', body: { registration: 'invite_only' } },
  { path: 'appearance', body: { mode: 'dark' } },
  { path: 'school', body: { name: 'Second name', registration: 'open' } },
  { path: 'appearance', body: { mode: 'light', corner_radius: 'none' } },
]

/** The part of the branding that the test reads from a page. */
interface Shown {
  name: string | undefined
  offersSignUp: boolean
  stylesheet: string | undefined
}

describe.each((await databasesToTest()).slice(-1))('the branding of a school on the pages of two processes, on $name', ({ open }) => {
  const held = duringTests(open)
  let redis: RedisConnection | undefined
  let second: Awaited<ReturnType<typeof openDatabaseTwice>>
  let services: TestService[]
  let agents: Agent[]
  let token: string

  beforeAll(async () => {
    second = await openDatabaseTwice(held)
    if (hasRedis) {
      redis = createRedis((await throwawayRedis()).url, { onError: () => undefined })
      await redis.connect()
    }
    services = []
    for (const { database } of [held, second]) services.push(await startService({ database, ...(redis && { redis }) }))
    agents = await Promise.all(services.map(({ issuer }) => createAgent(issuer)))
    await services[0]?.addPerson({ email: owner, role: 'owner' })
    const scope = 'school:read school:write appearance:read appearance:write'
    token = (await agents[0]?.tokens(personCalled(owner), { scope }, { scopes: 'all' }))?.body.access_token
  })
  afterAll(async () => {
    const schoolId = services[0]?.schoolId()
    for (const service of services) await service.stop()
    const keys = redis ? await redis.client.keys(`sg:{${schoolId}}:*`) : []
    for (const key of keys) await redis?.client.del(key)
    await redis?.close()
    await second.close()
  })

  const shownBy = ({ html }: { html: string }): Shown => ({
    name: /<header class="school">\s*(?:<a class="home" href="\/">\s*)?<bdi>([^<]*)<\/bdi>/.exec(html)?.[1],
    offersSignUp: html.includes('/account/sign-up'),
    stylesheet: /href="(\/assets\/school\.css[^"]*)"/.exec(html)?.[1],
  })

  test('a change shows on the next page of every process after it is acknowledged', async () => {
    // Each process has shown a waiting authorization request before.
    const pages = await Promise.all(
      agents.map(async (agent) => {
        const browser = createBrowser(agent.issuer)
        const page = await browser.follow(await browser.get(agent.authorizationUrl().href))
        return async () => [shownBy(await browser.get(page.url.href)), shownBy(await browser.get('/account/sign-in'))]
      }),
    )
    const showAll = async (): Promise<Shown[]> => (await Promise.all(pages.map((show) => show()))).flat()
    const seen = new Set(await showAll().then((all) => all.map((shown) => JSON.stringify(shown))))
    for (const { path, body } of changes) {
      const changed = await fetch(`${services[0]?.issuer}/api/v1/${path}`, {
        method: 'PATCH',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'if-match': '*' },
        body: JSON.stringify(body),
      })
      expect(changed.status).toBe(200)
      const shown = await showAll()
      expect(new Set(shown.map((page) => JSON.stringify(page))).size, JSON.stringify(body)).toBe(1)
      expect(shown[0]).toMatchObject('name' in body ? { name: body.name } : {})
      expect(shown[0]).toMatchObject('registration' in body ? { offersSignUp: body.registration === 'open' } : {})
      seen.add(JSON.stringify(shown[0]))
      for (const { issuer } of services) expect((await get(issuer + shown[0]?.stylesheet)).status).toBe(200)
    }
    expect(seen.size).toBe(changes.length + 1)
  })
})
