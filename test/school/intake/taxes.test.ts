import { describe, expect, test } from 'vitest'
import { newId, toPublicId } from '../../../src/base/ids.ts'
import { advanceSubscriptions } from '../../../src/school/memberships/jobs/advanceSubscriptions.ts'
import { duringTests } from '../../support/duringTests.ts'
import { newPlan } from '../../support/memberships.ts'
import { startSales } from '../../support/sales.ts'
import { newProduct } from '../../support/shop.ts'

const sales = duringTests(() =>
  startSales({ school: { defaults: { name: 'Shop', locale: 'en', time_zone: 'Pacific/Kiritimati', currency: 'EUR' } } }),
)

const setTax = (tax: object) => sales.call('PATCH', '/school', { settings: { tax } }, { headers: { 'if-match': '*' } })
const rates = [
  { country: 'AT', rate_bps: 2000 },
  { country: 'CH', rate_bps: 0 },
]
const order = async (more: object, price = 11_900) => {
  const id = await newProduct(sales.service.database.sql, sales.schoolId, { price })
  const { status, body } = await sales.platform.report('/orders', {
    buyer: { email: `${newId()}@example.org` },
    items: [{ type: 'digital_product', id: toPublicId('dgp', id) }],
    ...more,
  })
  return { status, body }
}
const paid = async (more: object, price = 11_900) => {
  const { body } = await order(more, price)
  const answer = await sales.platform.report(`/orders/${body.number}/pay`, { amount: body.total.amount, currency: 'EUR' })
  expect(answer.status).toBe(200)
  return answer.body
}

describe('tax by country', () => {
  test('a table of rates names each country once, and only countries that exist', async () => {
    const fieldsOf = async (tax: object) => {
      const { status, body } = await setTax(tax)
      return [status, ...(body.details ?? []).map(({ field }: { field: string }) => field)]
    }
    expect(await fieldsOf({ rates: [...rates, { country: 'AT', rate_bps: 1 }] })).toEqual([422, 'settings.tax.rates.2.country'])
    for (const country of ['UK', 'at', 'ZZ', 'DEU', '', '<b']) expect((await fieldsOf({ rates: [{ country, rate_bps: 1 }] }))[0]).toBe(422)
    expect((await fieldsOf({ rates: [{ country: 'AT', rate_bps: 5001 }] }))[0]).toBe(422)
    expect((await fieldsOf({ rates: Array.from({ length: 251 }, () => ({ country: 'AT', rate_bps: 1 })) }))[0]).toBe(422)
    const { body } = await setTax({ mode: 'inclusive', default_rate_bps: 1900, rates })
    expect(body.settings.tax).toEqual({ mode: 'inclusive', default_rate_bps: 1900, rates, tax_id: null })
  })

  test("an order stores the buyer's country and its rate: of the table, or else the default; a later change of the table changes no order", async () => {
    await setTax({ mode: 'inclusive', default_rate_bps: 1900, rates })
    const taxOf = async (more: object) => {
      const { body } = await order(more)
      return [body.tax_country, body.tax_rate_bps, body.tax_total?.amount]
    }
    expect(await taxOf({ country: 'AT' })).toEqual(['AT', 2000, 1983])
    expect(await taxOf({ country: 'CH' })).toEqual(['CH', 0, 0])
    expect(await taxOf({ country: 'FR' })).toEqual(['FR', 1900, 1900])
    expect(await taxOf({})).toEqual([null, 1900, 1900])
    expect(await taxOf({ billing_address: { country: 'AT' } })).toEqual(['AT', 2000, 1983])
    expect(await taxOf({ billing_address: { country: 'AT' }, country: 'CH' })).toEqual(['CH', 0, 0])
    for (const country of ['UK', 'XXX', 'de', 7]) expect((await order({ country })).status).toBe(422)
    const { body } = await order({ country: 'AT' })
    await setTax({ mode: 'inclusive', default_rate_bps: 700, rates: [] })
    await sales.platform.report(`/orders/${body.number}/pay`, { amount: 11_900, currency: 'EUR' })
    const stored = await sales.call('GET', `/orders/${body.id}`)
    expect(stored.body).toMatchObject({ tax_country: 'AT', tax_rate_bps: 2000, tax_total: { amount: 1983 } })
  })

  test('the renewal of a subscription is taxed for the country of its first order', async () => {
    await setTax({ mode: 'exclusive', default_rate_bps: 1900, rates })
    const { planId, priceId } = await newPlan(sales.service.database.sql, sales.schoolId)
    const item = { type: 'membership_plan', id: toPublicId('mpl', planId), price_id: toPublicId('prc', priceId) }
    const first = await sales.platform.report('/orders', { buyer: { email: 'at@example.org' }, items: [item], country: 'AT' })
    await sales.platform.report(`/orders/${first.body.number}/pay`, { amount: first.body.total.amount, currency: 'EUR' })
    const { sql } = sales.service.database
    const [subscription] = await sql.query<{ id: string }>(`SELECT id FROM subscription WHERE school_id = $1`, [sales.schoolId])
    await sql.query(
      `UPDATE subscription SET collection = 'manual', current_period_end = now() - interval '1 hour', period_anchor = now() - interval '1 hour' WHERE school_id = $1 AND id = $2`,
      [sales.schoolId, subscription?.id],
    )
    expect(await advanceSubscriptions(sales.service.database, new Date(), 10)).toBe(1)
    const orders = await sql.query(
      `SELECT kind, tax_country, tax_rate_bps FROM orders WHERE school_id = $1 AND subscription_id = $2 ORDER BY id`,
      [sales.schoolId, subscription?.id],
    )
    expect(orders).toEqual([
      { kind: 'subscription_initial', tax_country: 'AT', tax_rate_bps: 2000 },
      { kind: 'subscription_renewal', tax_country: 'AT', tax_rate_bps: 2000 },
    ])
  })
})

describe('the report of taxes', () => {
  test("adds up by country and rate, counts refunds on their day in the school's time zone, and leaves earlier days as they are", async () => {
    const { sql } = sales.service.database
    await sql.query('DELETE FROM orders WHERE school_id = $1 AND subscription_id IS NULL', [sales.schoolId])
    await sql.query(`UPDATE orders SET paid_at = NULL WHERE school_id = $1`, [sales.schoolId])
    await setTax({ mode: 'inclusive', default_rate_bps: 1900, rates })
    const made = [await paid({ country: 'AT' }), await paid({ country: 'AT' }, 333), await paid({ country: 'CH' }), await paid({})]
    await sql.query(
      `UPDATE orders SET paid_at = '2026-03-01T12:00:00Z', placed_at = '2026-03-01T12:00:00Z' WHERE school_id = $1 AND paid_at IS NOT NULL`,
      [sales.schoolId],
    )
    await sales.refresh()
    const report = async (from: string, to = from) => (await sales.call('GET', `/analytics/tax?from=${from}&to=${to}`)).body
    // 12:00 UTC is the next day in Kiritimati.
    const before = await report('2026-03-02')
    const numbers = ({ gross, net, tax, refunded, refunded_tax, tax_due }: Record<string, { amount: number }>) =>
      [gross, net, tax, refunded, refunded_tax, tax_due].map((money) => money?.amount)
    const groups = (body: { groups: (Record<string, { amount: number }> & { country: string; rate_bps: number })[] }) =>
      body.groups.map((group) => [group.country, group.rate_bps, ...numbers(group)])
    expect(groups(before)).toEqual([
      [null, 1900, 11_900, 10_000, 1900, 0, 0, 1900],
      ['AT', 2000, 12_233, 10_194, 2039, 0, 0, 2039],
      ['CH', 0, 11_900, 11_900, 0, 0, 0, 0],
    ])
    expect(numbers(before.totals)).toEqual([36_033, 32_094, 3939, 0, 0, 3939])
    await sales.platform.report(`/orders/${made[0].number}/refund`, { amount: 1000 })
    await sales.platform.report(`/orders/${made[2].number}/refund`, {})
    await sql.query(`UPDATE refund SET created_at = '2026-03-02T09:59:00Z' WHERE school_id = $1 AND amount = 1000`, [sales.schoolId])
    await sql.query(`UPDATE refund SET created_at = '2026-03-02T10:01:00Z' WHERE school_id = $1 AND amount > 1000`, [sales.schoolId])
    await sql.query(`INSERT INTO analytics_dirty (school_id, day) VALUES ($1, '2026-03-02'), ($1, '2026-03-03') ON CONFLICT DO NOTHING`, [
      sales.schoolId,
    ])
    await sales.refresh()
    expect(groups(await report('2026-03-02'))).toEqual([
      [null, 1900, 11_900, 10_000, 1900, 0, 0, 1900],
      ['AT', 2000, 12_233, 10_194, 2039, 1000, 167, 1872],
      ['CH', 0, 11_900, 11_900, 0, 0, 0, 0],
    ])
    expect(groups(await report('2026-03-03'))).toEqual([['CH', 0, 0, 0, 0, 11_900, 0, 0]])
    const whole = await report('2026-03-01', '2026-03-03')
    expect(numbers(whole.totals)).toEqual([36_033, 32_094, 3939, 12_900, 167, 3772])
    const revenue = (await sales.call('GET', '/analytics/revenue?from=2026-03-01&to=2026-03-03&group_by=coupon')).body
    expect([revenue.totals.tax.amount, revenue.totals.refunds.amount, revenue.groups.map(({ key }: { key: string }) => key)]).toEqual([
      3772,
      12_900,
      ['none'],
    ])
    expect((await sales.call('GET', '/analytics/tax', undefined, { headers: { accept: 'text/csv' } })).status).toBe(200)
    await sales.service.addPerson({ email: 'lecturer@example.com', role: 'lecturer' })
    expect((await sales.call('GET', '/analytics/tax', undefined, { as: 'lecturer@example.com' })).status).toBe(403)
  })
})
