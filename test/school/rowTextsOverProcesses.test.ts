import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addPersonTo } from '../support/addPersonTo.ts'
import { createAgent, personCalled, withToken } from '../support/agent.ts'
import { availableServices, redisUrl, throwawayPostgres } from '../support/databases.ts'
import { createHome, freePort, type Home, type ServiceProcess, startProcess } from '../support/process.ts'

const { postgresql, redis } = await availableServices()
const email = 'owner@example.org'

describe.runIf(postgresql && redis)('texts of rows over two processes on PostgreSQL and Redis', () => {
  let home: Home
  let processes: [ServiceProcess, ServiceProcess]
  let drop: () => Promise<void>
  let token: string

  beforeAll(async () => {
    const port = await freePort()
    const postgres = await throwawayPostgres()
    drop = postgres.drop
    home = await createHome({ issuer: `http://127.0.0.1:${port}` })
    const environment = { DATABASE_URL: postgres.url, REDIS_URL: redisUrl, DEMO: 'off' }
    processes = [await startProcess({ home, port, environment }), await startProcess({ home, environment })]
    await addPersonTo(postgres.url, { email, role: 'owner' })
    const agent = await createAgent(processes[0].issuer)
    const scope = 'openid courses:read courses:write lecturers:read lecturers:write'
    token = (await agent.tokens(personCalled(email), { scope }, { scopes: 'all' })).body.access_token
  })
  afterAll(async () => {
    await Promise.all(processes.map((one) => one.stop()))
    await drop()
    await home.remove()
  })

  const get = async (at: 0 | 1, path: string) => (await withToken(`${processes[at].issuer}/api/v1/${path}`, token)).body
  async function send(method: string, path: string, body: object) {
    const response = await fetch(`${processes[0].issuer}/api/v1/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const json = (await response.json()) as { id: string }
    expect(response.status, JSON.stringify(json)).toBeLessThan(300)
    return json
  }

  test('a list that reads in a transaction, because it may take long, reads the texts that are missing in it, too', async () => {
    const ids = []
    for (const title of ['Glaze', 'Kiln', 'Slip']) ids.push((await send('POST', 'courses', { title })).id)
    for (const at of [0, 1] as const) {
      expect((await get(at, 'courses?limit=1')).data).toHaveLength(1)
      const { data } = await get(at, 'courses?status=draft&limit=50')
      expect(data.map(({ id }: { id: string }) => id)).toEqual(expect.arrayContaining(ids))
    }
  })

  test('a process never shows a text that is older than a change that another one has acknowledged', async () => {
    const lecturer = await send('POST', 'lecturers', { display_name: 'Ada 0' })
    const course = await send('POST', 'courses', { title: 'Clay 0', lecturer_ids: [lecturer.id] })
    let isOver = false
    const others = Array.from({ length: 4 }, async () => {
      while (!isOver) await get(1, 'courses')
    })
    try {
      for (let round = 1; round <= 20; round += 1) {
        await send('PATCH', `courses/${course.id}`, { title: `Clay ${round}` })
        const { data } = await get(1, 'courses')
        expect(data.find(({ id }: { id: string }) => id === course.id).title).toBe(`Clay ${round}`)
        await send('PATCH', `lecturers/${lecturer.id}`, { display_name: `Ada ${round}` })
        const row = await get(1, `courses/${course.id}`)
        expect([row.title, row.lecturers[0].display_name]).toEqual([`Clay ${round}`, `Ada ${round}`])
      }
    } finally {
      isOver = true
      await Promise.all(others)
    }
  }, 60_000)
})
