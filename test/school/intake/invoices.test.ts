import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { newId, toPublicId } from '../../../src/base/ids.ts'
import { duringTests } from '../../support/duringTests.ts'
import { startSales } from '../../support/sales.ts'
import { newCoupon, newOrder, newProduct } from '../../support/shop.ts'

const sales = duringTests(() =>
  startSales({ school: { defaults: { name: 'Shop & <b>Co</b>', locale: 'en', time_zone: 'UTC', currency: 'EUR' } } }),
)
const buyer = 'buyer@example.org'
const stranger = 'stranger@example.org'
beforeAll(async () => {
  for (const email of [buyer, stranger]) await sales.service.addPerson({ email })
  await sales.call('PATCH', '/school', { settings: { tax: { mode: 'inclusive', default_rate_bps: 1900, tax_id: 'DE<1>' } } }, anyVersion)
})

const anyVersion = { headers: { 'if-match': '*' } }
const html = { headers: { accept: 'text/html' } }
const year = new Date().getUTCFullYear()

async function created({ email = buyer, price = 11_900, lines = 1 } = {}) {
  const items: object[] = []
  for (let line = 0; line < lines; line++) {
    const id = await newProduct(sales.service.database.sql, sales.schoolId, { price })
    items.push({ type: 'digital_product', id: toPublicId('dgp', id) })
  }
  const { body } = await sales.platform.report('/orders', { buyer: { email, name: 'Wren <i>Tallow</i>' }, items, tax_id: 'AT"1"' })
  return body
}
const pay = ({ number, total }: { number: string; total: { amount: number } }) =>
  sales.platform.report(`/orders/${number}/pay`, { amount: total.amount, currency: 'EUR' })
const paid = async (more = {}) => (await pay(await created(more))).body
const numbers = async (column: string, table: string, prefix: string): Promise<string[]> =>
  (
    await sales.service.database.sql.query<{ number: string }>(
      `SELECT ${column} AS number FROM ${table} WHERE school_id = $1 AND ${column} LIKE $2 ORDER BY 1`,
      [sales.schoolId, `${prefix}-${year}-%`],
    )
  ).map(({ number }) => number)
const sequence = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${year}-${String(index + 1).padStart(6, '0')}`)

describe('the numbers of invoices and credit notes', () => {
  test('have no gap and no repetition: under concurrent payments and refunds, with payments that are rejected and repeated', async () => {
    const orders = await Promise.all(
      Array.from({ length: 12 }, (_, index) => created({ email: `${index}-${newId()}@example.org`, lines: 2 })),
    )
    const reports = await Promise.all([
      ...orders.map((order) => pay(order)),
      ...orders.map(({ number }) => sales.platform.report(`/orders/${number}/pay`, { amount: 1, currency: 'EUR' })),
      ...orders.slice(0, 3).map((order) => pay(order)),
    ])
    expect(reports.filter(({ status }) => status === 200)).toHaveLength(12)
    expect(await numbers('invoice_number', 'orders', 'INV')).toEqual(sequence('INV', 12))
    const refunds = await Promise.all(
      orders.flatMap(({ number, items }) => [
        sales.platform.report(`/orders/${number}/refund`, { items: [{ line: items[0].id, amount: 100 }] }),
        sales.platform.report(`/orders/${number}/refund`, { amount: 99_999_999 }),
      ]),
    )
    expect(refunds.filter(({ status }) => status === 200)).toHaveLength(12)
    expect(await numbers('credit_note_number', 'refund', 'CN')).toEqual(sequence('CN', 12))
  })

  test("begin again each year, in the school's time zone, and are counted for each school alone", async () => {
    const { sql } = sales.service.database
    await sql.query(`UPDATE school SET time_zone = 'Pacific/Kiritimati' WHERE id = $1`, [sales.schoolId])
    const [local] = await sql.query<{ year: number }>(`SELECT extract(year FROM now() AT TIME ZONE 'Pacific/Kiritimati')::int AS year`)
    expect((await paid()).invoice_number).toMatch(new RegExp(`^INV-${local?.year}-\\d{6}$`))
    await sql.query(`UPDATE school SET time_zone = 'UTC' WHERE id = $1`, [sales.schoolId])
    await sql.query(`UPDATE document_counter SET year = year - 1 WHERE school_id = $1 AND kind = 'invoice'`, [sales.schoolId])
    await sql.query(`UPDATE orders SET invoice_number = replace(invoice_number, $2, $3) WHERE school_id = $1`, [
      sales.schoolId,
      `INV-${year}`,
      `INV-${year - 1}`,
    ])
    expect((await paid()).invoice_number).toBe(`INV-${year}-000001`)
  })

  test('exist for neither unpaid orders nor a total of 0, nor for orders that an earlier release recorded as paid', async () => {
    const pending = await created()
    expect(pending.invoice_number).toBeNull()
    const code = `F${newId()}`.toUpperCase()
    await newCoupon(sales.service.database.sql, sales.schoolId, { code })
    const product = await newProduct(sales.service.database.sql, sales.schoolId, { price: 5 })
    const items = [{ type: 'digital_product', id: toPublicId('dgp', product) }]
    const free = await sales.platform.report('/orders', { buyer: { email: buyer }, items, coupon_code: code })
    const undone = await sales.platform.report(`/orders/${free.body.number}/refund`, {})
    expect([free.body.status, free.body.invoice_number, undone.body.refunds[0].credit_note_number]).toEqual(['paid', null, null])
    const old = toPublicId('ord', await newOrder(sales.service.database.sql, sales.schoolId))
    for (const id of [pending.id, free.body.id, old]) {
      const { status, body } = await sales.call('GET', `/orders/${id}/invoice`)
      expect([status, body.error]).toEqual([409, 'invalid_state'])
    }
    const { body } = await sales.call('GET', `/orders/${free.body.id}/credit_notes/${undone.body.refunds[0].id}`)
    expect(body.error).toBe('invalid_state')
    const late = await sales.platform.report(`/orders/${(await sales.call('GET', `/orders/${old}`)).body.number}/refund`, { amount: 100 })
    const note = await sales.call('GET', `/orders/${old}/credit_notes/${late.body.refunds[0].id}`)
    expect(note.body).toMatchObject({ invoice_number: null, order_number: late.body.number, total: { amount: 100 } })
  })
})

describe('an invoice and its credit notes', () => {
  test('show net, tax and total, which add up, and stay as they are when the school changes', async () => {
    const order = await paid({ lines: 2 })
    const invoice = await sales.call('GET', `/orders/${order.id}/invoice`, undefined, { as: buyer })
    expect(invoice.body).toMatchObject({
      invoice_number: order.invoice_number,
      order_number: order.number,
      seller: { name: 'Shop & <b>Co</b>', tax_id: 'DE<1>' },
      buyer: { email: buyer },
      tax_rate_bps: 1900,
      net_total: { amount: 20_000 },
      tax_total: { amount: 3800 },
      total: { amount: 23_800 },
    })
    const refund = async (body: object) => (await sales.platform.report(`/orders/${order.number}/refund`, body)).body.refunds.at(-1)
    const refunds = [await refund({ items: [{ line: order.items[1].id, amount: 333 }] }), await refund({ amount: 1 }), await refund({})]
    const notes = await Promise.all(
      refunds.map(({ id }) => sales.call('GET', `/orders/${order.id}/credit_notes/${id}`, undefined, { as: buyer })),
    )
    expect(notes.map(({ body }) => [body.credit_note_number, body.invoice_number])).toEqual(
      refunds.map(({ credit_note_number }) => [credit_note_number, order.invoice_number]),
    )
    const sum = (name: string): number => notes.reduce((total, { body }) => total + body[name].amount, 0)
    expect([sum('net_total'), sum('tax_total'), sum('total')]).toEqual([20_000, 3800, 23_800])
    await sales.call('PATCH', '/school', { name: 'Renamed' }, anyVersion)
    const again = await sales.call('GET', `/orders/${order.id}/invoice`, undefined, { as: buyer })
    expect(again.body).toEqual(invoice.body)
  })

  test('are for the buyer and the staff alone', async () => {
    const order = await paid()
    const { body } = await sales.platform.report(`/orders/${order.number}/refund`, { amount: 100 })
    const paths = [`/orders/${order.id}/invoice`, `/orders/${order.id}/credit_notes/${body.refunds[0].id}`]
    await sales.service.addPerson({ email: 'teacher@example.com', role: 'lecturer' })
    for (const path of paths) {
      expect((await sales.call('GET', path, undefined, { as: buyer })).status).toBe(200)
      expect((await sales.call('GET', path)).status).toBe(200)
      expect((await sales.call('GET', path, undefined, { as: stranger })).status).toBe(404)
      expect((await sales.call('GET', path, undefined, { as: 'teacher@example.com' })).status).toBe(404)
      expect((await sales.call('GET', path, undefined, { as: null })).status).toBe(403)
    }
    const other = await paid()
    const foreign = await sales.call('GET', `/orders/${other.id}/credit_notes/${body.refunds[0].id}`, undefined, { as: buyer })
    expect(foreign.status).toBe(404)
    expect((await sales.call('GET', `/orders/${other.id}/credit_notes/nonsense`, undefined, { as: buyer })).status).toBeLessThan(500)
  })

  test('are HTML that prints: with a style sheet that the security policy names, without scripts, in the language of the school', async () => {
    const order = await paid()
    const { body } = await sales.platform.report(`/orders/${order.number}/refund`, { amount: 100 })
    const paths = [`/orders/${order.id}/invoice`, `/orders/${order.id}/credit_notes/${body.refunds[0].id}`]
    const pages = async () => await Promise.all(paths.map((path) => sales.call('GET', path, undefined, { as: buyer, ...html })))
    for (const { status, headers, body: page } of await pages()) {
      expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
      const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(page) ?? []
      expect(style).toContain('@page')
      const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; frame-ancestors 'none'; base-uri 'none'`
      expect(headers.get('content-security-policy')).toBe(policy)
      expect(page).not.toMatch(/<script|<b>|<i>|<1>|style=|src=|https?:/)
      expect(page).toContain('<html lang="en">')
      expect(page).toContain(order.invoice_number)
    }
    await sales.call('PATCH', '/school', { locale: 'de' }, anyVersion)
    const [invoice, note] = await pages()
    expect(invoice?.body).toMatch(/lang="de"[\s\S]*Rechnung INV-[\s\S]*Nettobetrag[\s\S]*100,00\s€[\s\S]*Steuer \(19\s%\)[\s\S]*19,00\s€/)
    expect(note?.body).toMatch(/Rechnungskorrektur CN-[\s\S]*0,84\s€[\s\S]*0,16\s€[\s\S]*1,00\s€/)
  })
})
