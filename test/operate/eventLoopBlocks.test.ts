import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate } from 'node:timers/promises'
import { beforeAll, expect, test, vi } from 'vitest'
import { createLoopWatch } from '../../src/base/process/loopWatch.ts'
import { watchedJobs } from '../../src/operate/metrics/tracing.ts'
import { createAgent, personCalled } from '../support/agent.ts'
import { databasesToTest } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { until } from '../support/poll.ts'
import { startService } from '../support/service.ts'

const service = duringTests(() => startService())
let token: string
let clientId: string
beforeAll(async () => {
  const email = 'owner@example.org'
  await service.addPerson({ email, role: 'owner' })
  const agent = await createAgent(service.issuer)
  clientId = agent.clientId
  token = (await agent.tokens(personCalled(email), { scope: 'courses:write' }, { scopes: 'all' })).body.access_token
})

interface Line {
  msg: string
  operation: string
  milliseconds: number
  client_id?: string
  account_id?: string
  address?: string
  request_id?: string
}
const blocks = (): Line[] =>
  service
    .log()
    .split('\n')
    .filter((line) => line.includes('"event loop blocked"'))
    .map((line) => JSON.parse(line))

/** Far above what a busy machine adds to an ordinary request. */
const blockMs = 1500
const marker = 'blocks the event loop'

test('a request that blocks the event loop for more than 100 ms is logged with operation and caller, and counted', async () => {
  const { parse } = JSON
  const parser = vi.spyOn(JSON, 'parse').mockImplementation((text: string, ...rest) => {
    const start = performance.now()
    while (text.includes(marker) && performance.now() - start < blockMs);
    return parse(text, ...rest)
  })
  const send = (title: string): Promise<{ status: number }> =>
    fetch(`${service.issuer}/api/v1/courses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ title }),
    })
  const [blocking] = await Promise.all([send(marker), send('Quick'), send('Quicker')])
  parser.mockRestore()
  expect(blocking.status).toBe(201)
  const found = await until(() => blocks().filter(({ milliseconds }) => milliseconds >= blockMs), { what: 'the line' })
  expect(found).toEqual([
    expect.objectContaining({
      operation: 'createCourse',
      client_id: clientId,
      account_id: expect.stringMatching(/^acc_/),
      address: '127.0.0.1',
      request_id: expect.stringMatching(/^req_/),
    }),
  ])
  const { text } = await service.app.metrics.render()
  const [, count] = /^schoolgate_event_loop_blocks_total\{operation="createCourse"\} (\d+)$/m.exec(text) ?? []
  expect(Number(count)).toBeGreaterThanOrEqual(1)
  expect(text).toMatch(/^schoolgate_event_loop_blocks_total\{operation="document"\} \d+$/m)
})

test('a job that blocks the event loop is logged by its name', async () => {
  const work = {
    name: 'slow_work',
    everySeconds: 60,
    async run() {
      const start = performance.now()
      while (performance.now() - start < 150);
      return {}
    },
  }
  const reportBlock = vi.fn()
  const [job] = watchedJobs({ loop: createLoopWatch(), reportBlock }, [work])
  await job?.run()
  await setImmediate()
  expect(reportBlock).toHaveBeenCalledWith(
    expect.toSatisfy((milliseconds: number) => milliseconds >= 150),
    { operation: 'job slow_work' },
  )
})

test.each(await databasesToTest())('code that waits for a statement is known when it goes on: $name', async ({ open }) => {
  const { database, drop } = await open()
  const caller = new AsyncLocalStorage<string>()
  const resumed: (string | undefined)[] = []
  database.facts.onAnswer(() => void resumed.push(caller.getStore()))
  await Promise.all(['one', 'two'].map((name) => caller.run(name, () => database.kysely.selectFrom('school').select('id').execute())))
  await caller.run('three', () => database.sql.query('SELECT 1'))
  await setImmediate()
  expect(new Set(resumed)).toEqual(new Set(['one', 'two', 'three']))
  await drop()
})
