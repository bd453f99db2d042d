import { expect, test } from 'vitest'
import { createLog } from '../../src/base/log/log.ts'
import { emailConcurrency } from '../../src/base/mail/transport.ts'
import type { ClaimedRow } from '../../src/database/outbox/claimOutbox.ts'
import { addressedEmailKinds } from '../../src/database/outbox/outboxKinds.ts'
import { createOutboxWorker } from '../../src/operate/jobs/outbox/outboxWorker.ts'
import { openTestDatabase } from '../../test/support/databases.ts'
import { newSchool } from '../../test/support/rows.ts'

/** After eight hours in which neither the mail server nor a receiver responded. */
const waiting = process.env.TEST_ENGINE ? 5000 : 800

test(`${waiting} messages that waited for eight hours are delivered once, in order, and a new password before most of them`, async () => {
  const { database, drop } = await openTestDatabase()
  try {
    const school = await newSchool(database.sql)
    const add = (kind: string, count: number, target: string | null = null) =>
      database.sql.query(
        `INSERT INTO outbox (school_id, kind, target, order_key, payload, attempts, reason, created_at, next_at, expires_at)
         SELECT $1, $2, $3::text, CASE WHEN $3::text IS NOT NULL THEN 'object ' || (n % 200) END, '"sealed"', 12, 'no response',
           now() - interval '8 hours', now() - interval '1 minute' * (n % 15), now() + interval '1 day'
         FROM generate_series(1, $4::int) AS n`,
        [school, kind, target, count],
      )
    await database.sql.query(`INSERT INTO webhook_endpoint (school_id, name, types, url_hash) VALUES ($1, 'sync', '{course}', 'hash')`, [
      school,
    ])
    await add('email', waiting / 2)
    await add('bulk_email', waiting / 4)
    await add('webhook', waiting / 4, 'sync')
    const keys = new Map(
      (await database.sql.query<{ id: string; key: string | null }>('SELECT id::text AS id, order_key AS key FROM outbox')).map(
        ({ id, key }) => [id, key],
      ),
    )
    const seen: ClaimedRow[] = []
    const deliver = async (row: ClaimedRow): Promise<void> => {
      seen.push(row)
      if (seen.length === 50) {
        await add('urgent_email', 1)
        worker.wake()
      }
    }
    const worker = createOutboxWorker({
      database,
      log: createLog('silent'),
      handlers: {
        ...Object.fromEntries(addressedEmailKinds.map((kind) => [kind, { concurrency: emailConcurrency[kind], deliver }])),
        webhook: { concurrency: 4, deliver },
      },
    })
    const [start, before] = [performance.now(), process.memoryUsage().rss]
    worker.start()
    await worker.drained()
    await worker.stop()
    const seconds = Math.round((performance.now() - start) / 1000)
    process.stderr.write(`${seen.length} in ${seconds} s, ${Math.round((process.memoryUsage().rss - before) / 1e6)} MB more\n`)

    expect(seen).toHaveLength(waiting + 1)
    expect(new Set(seen.map(({ id }) => id)).size).toBe(waiting + 1)
    expect(seen.findIndex(({ kind }) => kind === 'urgent_email')).toBeLessThan(waiting / 2)
    const byKey = Map.groupBy(
      seen.filter(({ kind }) => kind === 'webhook'),
      ({ id }) => keys.get(id),
    )
    for (const rows of byKey.values()) {
      const ids = rows.map(({ id }) => Number(id))
      expect(ids).toEqual(ids.toSorted((a, b) => a - b))
    }
    const states = await database.sql.query('SELECT state, count(*)::int AS count FROM outbox GROUP BY state')
    expect(states).toEqual([{ state: 'delivered', count: waiting + 1 }])
  } finally {
    await drop()
  }
})
