import { describe, expect, test } from 'vitest'
import { fromPublicId, newId } from '../../../src/base/ids.ts'
import type { Sql } from '../../../src/database/connection/sql.ts'
import { inSchool } from '../../../src/database/school/inSchool.ts'
import { retryOrder } from '../../../src/school/orders/orderTransitions.ts'
import { everyDatabase } from '../../support/databases.ts'
import { duringTests } from '../../support/duringTests.ts'
import { until } from '../../support/poll.ts'
import { startSales } from '../../support/sales.ts'

const eur = (amount: number) => ({ amount, currency: 'EUR' })

// The embedded database runs one transaction after the other: nothing can happen between two statements of a retry.
const concurrent = (await everyDatabase()).filter(({ name }) => name === 'postgresql')

describe.each(concurrent)('another attempt to pay a declined order, on $name', ({ open }) => {
  const opened = duringTests(open)
  const sales = duringTests(() =>
    startSales({
      database: opened.database,
      school: { defaults: { name: 'Shop', locale: 'en', time_zone: 'UTC', currency: 'EUR' } },
    }),
  )

  const done = async (method: string, path: string, body?: object) => {
    const answer = await sales.call(method, path, body)
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const changeCurrency = () => sales.call('PATCH', '/school', { currency: 'USD' }, { headers: { 'if-match': '*' } })

  /** Sells an event in euros, and declines its payment. */
  async function declinedOrder(): Promise<{ id: string; number: string }> {
    const time = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString()
    const place = { kind: 'in_person', location: { name: 'Kiln house' }, starts_at: time(24), ends_at: time(25) }
    const event = await done('POST', '/events', { title: `Kiln ${newId()}`, ...place, price: eur(1500) })
    await done('POST', `/events/${event.id}/publish`, {})
    const { body } = await sales.platform.report('/orders', {
      buyer: { email: `${newId()}@example.org` },
      items: [{ type: 'event', id: event.id }],
    })
    expect((await sales.platform.report(`/orders/${body.number}/fail`, {})).body.status).toBe('failed')
    return body
  }

  /** Sends a request while a transaction is open. Waits until the request waits for the transaction, or has its response. */
  async function sendDuring<Response>(sql: Sql, request: () => Promise<Response>): Promise<{ response: Promise<Response> }> {
    let isAnswered = false
    const response = request().finally(() => {
      isAnswered = true
    })
    await until(
      async () => {
        await sql.query('SELECT pg_stat_clear_snapshot()')
        const waiting = await sql.query(
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND pid <> pg_backend_pid()`,
        )
        return isAnswered || waiting.length > 0
      },
      { what: 'the request waits' },
    )
    return { response }
  }

  test('makes a change of the currency wait that comes between, and be refused', async () => {
    const { id, number } = await declinedOrder()
    const { response } = await opened.database.transaction(async (writer, sql) => {
      await retryOrder(inSchool(writer, sales.schoolId), {
        schoolId: sales.schoolId,
        now: new Date(),
        orderId: fromPublicId('ord', id) ?? '',
      })
      return await sendDuring(sql, changeCurrency)
    })
    const { status, body } = await response
    expect([status, body.error, (await done('GET', '/school')).currency]).toEqual([409, 'currency_locked', 'EUR'])
    expect((await sales.platform.report(`/orders/${number}/pay`, eur(1500))).body.status).toBe('paid')
  })

  test('waits for a change of the currency that has begun, and is refused', async () => {
    const { number } = await declinedOrder()
    const { response } = await opened.database.transaction(async (_writer, sql) => {
      // As a request that changes the school locks it.
      await sql.query('SELECT id FROM school WHERE id = $1 FOR UPDATE', [sales.schoolId])
      await sql.query(`UPDATE school SET currency = 'USD' WHERE id = $1`, [sales.schoolId])
      return await sendDuring(sql, () => sales.platform.report(`/orders/${number}/pay`, eur(1500)))
    })
    const { status, body } = await response
    expect([status, body.error]).toEqual([409, 'invalid_state'])
    const [order] = await opened.database.sql.query('SELECT status, currency FROM orders WHERE number = $1', [number])
    expect(order).toEqual({ status: 'failed', currency: 'EUR' })
  })
})
