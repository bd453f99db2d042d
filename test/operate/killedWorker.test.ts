import { readdir, readFile } from 'node:fs/promises'
import { Agent, get as request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { availableServices, throwawayPostgres } from '../support/databases.ts'
import { until } from '../support/poll.ts'
import { createHome, type ServiceProcess, startProcess } from '../support/process.ts'

const { postgresql } = await availableServices()

/** A connection that was lost stays open for ever; a busy machine only takes long. */
const timeoutMs = 30_000

type Outcome = 'answered' | 'closed' | 'hanging'

/** Sends one request, on a new connection unless the agent has one. */
const visit = (url: string, agent: Agent | false = false): Promise<Outcome> =>
  new Promise((resolve) => {
    const sent = request(url, { agent }, (response) => response.resume().once('end', () => resolve('answered')))
    sent.on('error', () => resolve('closed'))
    sent.setTimeout(timeoutMs, () => {
      resolve('hanging')
      sent.destroy()
    })
  })

describe.runIf(postgresql)('two workers', () => {
  const undo: (() => Promise<unknown>)[] = []
  let service: ServiceProcess
  beforeAll(async () => {
    const database = await throwawayPostgres()
    undo.push(() => database.drop())
    const home = await createHome()
    undo.push(() => home.remove())
    service = await startProcess({ home, environment: { DATABASE_URL: database.url, DEMO: 'off', WORKERS: '2' } })
    undo.push(() => service.kill())
  })
  afterAll(async () => {
    for (const step of undo.reverse()) await step()
  })

  const supervisor = (): number => service.child.pid as number
  const workers = async (): Promise<number[]> =>
    (await readFile(`/proc/${supervisor()}/task/${supervisor()}/children`, 'utf8')).trim().split(' ').map(Number)
  const haveStarted = (count: number): Promise<unknown> =>
    until(() => service.output().split('"msg":"service ready"').length - 1 >= count, { what: `start ${count}` })
  const descriptors = async (): Promise<number[]> =>
    Promise.all((await workers()).map(async (pid) => (await readdir(`/proc/${pid}/fd`)).length))

  test('get equal shares of the connections that stay open, as those of a gateway do', async () => {
    await haveStarted(2)
    const before = await descriptors()
    const agents = Array.from({ length: 40 }, () => new Agent({ keepAlive: true }))
    for (const agent of agents) expect(await visit(`${service.issuer}/api/v1/school`, agent)).toBe('answered')
    const shares = (await descriptors()).map((count, index) => count - (before[index] as number))
    for (const agent of agents) agent.destroy()
    expect(Math.min(...shares)).toBeGreaterThanOrEqual(15)
  })

  test('are replaced when one is killed, and the log names the signal', async () => {
    await haveStarted(2)
    process.kill((await workers())[0] as number, 'SIGKILL')
    await haveStarted(3)
    expect(service.output()).toMatch(/"code":null,"signal":"SIGKILL","msg":"worker ended, starting a replacement"/)
  })

  test('leave no request without a response or a closed connection when they are killed under load', async () => {
    await haveStarted(3)
    const outcomes = { answered: 0, closed: 0, hanging: 0 }
    let isOver = false
    const loops = Array.from({ length: 30 }, async () => {
      while (!isOver) outcomes[await visit(`${service.issuer}/api/v1/school`)] += 1
    })
    try {
      for (let count = 0; count < 3; count += 1) {
        await haveStarted(3 + count)
        const before = outcomes.answered
        process.kill((await workers())[0] as number, 'SIGKILL')
        await until(() => outcomes.answered > before + 30, { what: 'responses of the other worker' })
      }
    } finally {
      isOver = true
      await Promise.all(loops)
    }
    expect(outcomes.hanging).toBe(0)
    expect(outcomes.answered).toBeGreaterThan(90)
  })
})
