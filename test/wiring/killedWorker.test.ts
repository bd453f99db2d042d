import { readFile } from 'node:fs/promises'
import { get as request } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { availableServices, throwawayPostgres } from '../support/databases.ts'
import { until } from '../support/poll.ts'
import { createHome, startProcess } from '../support/process.ts'

const { postgresql } = await availableServices()
const undo: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

/** A connection that was lost stays open for ever; a busy machine only takes long. */
const patienceMs = 120_000

/** Sends one request on a new connection. */
const visit = (url: string): Promise<'answered' | 'closed' | 'hanging'> =>
  new Promise((resolve) => {
    const sent = request(url, { agent: false }, (response) => response.resume().once('end', () => resolve('answered')))
    sent.on('error', () => resolve('closed'))
    sent.setTimeout(patienceMs, () => {
      resolve('hanging')
      sent.destroy()
    })
  })

test.runIf(postgresql)('every request gets a response or a closed connection when workers are killed under load', async () => {
  const database = await throwawayPostgres()
  undo.push(() => database.drop())
  const home = await createHome()
  undo.push(() => home.remove())
  const service = await startProcess({ home, environment: { DATABASE_URL: database.url, DEMO: 'off', WORKERS: '2' } })
  undo.push(() => service.kill())
  const supervisor = service.child.pid as number
  const workers = async (): Promise<number[]> =>
    (await readFile(`/proc/${supervisor}/task/${supervisor}/children`, 'utf8')).trim().split(' ').map(Number)
  const readyWorkers = async (): Promise<boolean> => /^schoolgate_workers 2$/m.test(await (await fetch(`${service.admin}/metrics`)).text())
  const outcomes = { answered: 0, closed: 0, hanging: 0 }
  let isOver = false
  const loops = Array.from({ length: 30 }, async () => {
    while (!isOver) outcomes[await visit(`${service.issuer}/api/v1/school`)] += 1
  })
  try {
    for (let count = 0; count < 3; count += 1) {
      await until(readyWorkers, { what: 'both workers' })
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
