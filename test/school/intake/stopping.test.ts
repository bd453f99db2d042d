import { Client } from 'pg'
import { afterEach, expect, test } from 'vitest'
import { availableServices, throwawayPostgres } from '../../support/databases.ts'
import { newReference, platformKey } from '../../support/platform.ts'
import { until } from '../../support/poll.ts'
import { createHome, startProcess } from '../../support/process.ts'

const { postgresql } = await availableServices()
const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

test.runIf(postgresql)(
  'a stopping process completes the report in flight, and refuses further ones with 503 and Retry-After until its port closes',
  async () => {
    const [home, database] = [await createHome(), await throwawayPostgres()]
    undo.push(home.remove, database.drop)
    const service = await startProcess({ home, environment: { DATABASE_URL: database.url, DEMO: 'off', PLATFORM_KEY: platformKey } })
    undo.push(service.kill)
    const report = () =>
      fetch(`${service.admin}/platform/v1/orders/2026-000001/cancel`, {
        method: 'POST',
        headers: { authorization: `Bearer ${platformKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ reference: newReference() }),
      })
    expect((await report()).status).toBe(404)
    const locker = new Client({ connectionString: database.url })
    await locker.connect()
    undo.push(() => locker.end())
    await locker.query('BEGIN; LOCK TABLE orders IN ACCESS EXCLUSIVE MODE')
    const inFlight = report()
    const waiting = async (): Promise<boolean> =>
      (await locker.query(`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`)).rowCount === 1
    await until(waiting, { what: 'the report to wait for the lock' })
    service.child.kill('SIGTERM')
    const replies: { status: number; retryAfter: string | null }[] = []
    const send = async (): Promise<void> => {
      const { status, headers } = await report()
      replies.push({ status, retryAfter: headers.get('retry-after') })
    }
    const isClosed = async (): Promise<boolean> => {
      const sent = send()
      sent.catch(() => undefined)
      const reply = await fetch(`${service.admin}/livez`).catch(() => undefined)
      if (replies.some(({ status }) => status !== 404)) await locker.query('ROLLBACK')
      return reply === undefined
    }
    await until(isClosed, { what: 'the private port to close' })
    expect(replies).not.toEqual([])
    for (const { status, retryAfter } of replies) {
      expect([404, 503]).toContain(status)
      if (status === 503) expect(Number(retryAfter)).toBeGreaterThan(0)
    }
    // 503 if the machine is slow: a change waits two seconds for a lock.
    expect([404, 503]).toContain((await inFlight).status)
    await until(() => service.child.exitCode === 0, { what: 'the process to end' })
  },
)
