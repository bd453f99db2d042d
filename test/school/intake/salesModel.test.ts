import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { newId, toPublicId } from '../../../src/base/ids.ts'
import { expireOrders } from '../../../src/school/orders/jobs/expireOrders.ts'
import { duringTests } from '../../support/duringTests.ts'
import { newReference, type Reported } from '../../support/platform.ts'
import { startSales } from '../../support/sales.ts'
import { newCoupon, newProduct } from '../../support/shop.ts'

/** An item for sale: one of two products, or an event with few seats. */
interface Offered {
  type: 'digital_product' | 'event'
  stored: string
  id: string
  price: number
}

const seatsOfEvent = 2
const coupons = [
  { bps: 3333, max: 3, id: '', code: '' },
  { bps: 10_000, max: 2, id: '', code: '' },
]
const offered: Offered[] = []
const sales = duringTests(() => startSales())
beforeAll(async () => {
  const { sql } = sales.service.database
  for (const price of [333, 4999]) {
    const stored = await newProduct(sql, sales.schoolId, { price })
    offered.push({ type: 'digital_product', stored, id: toPublicId('dgp', stored), price })
  }
  const stored = newId()
  await sql.query(
    `INSERT INTO event (school_id, id, slug, title, kind, status, time_zone, starts_at, ends_at, capacity, price_amount, price_currency)
     VALUES ($1, $2, $3, 'Glaze Evening', 'hybrid', 'published', 'UTC', now() + interval '1 day', now() + interval '2 days', $4, 1501, 'EUR')`,
    [sales.schoolId, stored, `glaze-${stored}`, seatsOfEvent],
  )
  offered.push({ type: 'event', stored, id: toPublicId('evt', stored), price: 1501 })
  for (const coupon of coupons) {
    coupon.code = `P${newId()}`.toUpperCase()
    coupon.id = await newCoupon(sql, sales.schoolId, { code: coupon.code, max: coupon.max, each: 100 })
    await sql.query('UPDATE coupon SET percent_bps = $3 WHERE school_id = $1 AND id = $2', [sales.schoolId, coupon.id, coupon.bps])
  }
  await sql.query(`UPDATE school SET settings = settings || '{"tax":{"mode":"exclusive","default_rate_bps":700}}' WHERE id = $1`, [
    sales.schoolId,
  ])
})

interface ModelLine {
  offer: Offered
  total: number
  tax: number
  refunded: number
  isEnded: boolean
}

interface ModelOrder {
  id: string
  number: string
  email: string
  lineIds: string[]
  lines: ModelLine[]
  coupon: number | undefined
  status: string
}

type Step =
  | { do: 'create'; items: number[]; buyer: number; coupon: number | undefined }
  | { do: 'pay' | 'fail' | 'cancel' | 'expire'; order: number }
  | { do: 'refund'; order: number; percent: number; line: number | undefined }
  | { do: 'repeat'; report: number }

const order = fc.nat({ max: 3 })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('create' as const),
      items: fc.uniqueArray(fc.nat({ max: 2 }), { minLength: 1, maxLength: 3 }),
      buyer: fc.nat({ max: 1 }),
      coupon: fc.constantFrom(undefined, undefined, 0, 1),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom('pay' as const, 'pay' as const, 'pay' as const, 'fail' as const, 'cancel' as const, 'expire' as const),
      order,
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('refund' as const),
      order,
      percent: fc.constantFrom(1, 40, 100),
      line: fc.constantFrom(undefined, 0, 1, 2),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('repeat' as const), report: fc.nat({ max: 12 }) }) },
)

const sum = <Row>(rows: readonly Row[], of: (row: Row) => number): number => rows.reduce((total, row) => total + of(row), 0)
const half = (amount: number, part: number, whole: number): number => Math.floor((2 * amount * part + whole) / (2 * whole))
const isPaid = ({ status }: ModelOrder): boolean => ['paid', 'partially_refunded', 'refunded'].includes(status)
const isHeld = (one: ModelOrder): boolean =>
  one.coupon !== undefined &&
  !['failed', 'canceled', 'expired'].includes(one.status) &&
  !(one.status === 'refunded' && sum(one.lines, ({ total }) => total) === 0)
const received = (one: ModelOrder): number => (isPaid(one) ? sum(one.lines, ({ total }) => total) : 0)
const returned = (one: ModelOrder): number => sum(one.lines, ({ refunded }) => refunded)
const taxLeft = (one: ModelOrder): number =>
  isPaid(one) ? sum(one.lines, ({ tax, total, refunded }) => tax - (total === 0 ? 0 : half(tax, refunded, total))) : 0
const gives = (one: ModelOrder, { stored }: Offered): boolean =>
  isPaid(one) && one.lines.some(({ offer, isEnded }) => offer.stored === stored && !isEnded)

/** One history with separate buyers, and the model that predicts it from the reports alone. */
class History {
  readonly orders: ModelOrder[] = []
  readonly sent: { path: string; body: object; answer: Reported }[] = []
  readonly emails = [`${newId()}@example.org`, `${newId()}@example.org`]

  async report(path: string, body: object): Promise<Reported> {
    const report = { reference: newReference(), ...body }
    const answer = await sales.platform.report(path, report)
    this.sent.push({ path, body: report, answer })
    return answer
  }

  async run(what: Step): Promise<void> {
    if (what.do === 'create') return await this.create(what)
    if (what.do === 'repeat') return await this.repeat(what.report)
    const found = this.orders[what.order]
    if (found && what.do === 'refund') await this.refund(found, what)
    else if (found && what.do !== 'refund') await this.change(found, what.do)
  }

  seatsTaken(): number {
    const event = offered[2] as Offered
    const reserved = this.orders.filter(({ status, lines }) => status === 'pending' && lines.some(({ offer }) => offer === event))
    return reserved.length + this.emails.filter((email) => this.orders.some((one) => one.email === email && gives(one, event))).length
  }

  isUsedUp(coupon: number | undefined): boolean {
    return coupon !== undefined && this.orders.filter((one) => one.coupon === coupon && isHeld(one)).length >= (coupons[coupon]?.max ?? 0)
  }

  hasSeat(lines: readonly { offer: Offered }[]): boolean {
    return !lines.some(({ offer }) => offer.type === 'event') || this.seatsTaken() < seatsOfEvent
  }

  async create({ items, buyer, coupon }: Extract<Step, { do: 'create' }>): Promise<void> {
    const email = this.emails[buyer] as string
    const bps = coupon === undefined ? 0 : (coupons[coupon]?.bps ?? 0)
    const lines = items.map((item): ModelLine => {
      const offer = offered[item] as Offered
      const net = offer.price - half(offer.price, bps, 10_000)
      const tax = half(net, 700, 10_000)
      return { offer, total: net + tax, tax, refunded: 0, isEnded: false }
    })
    const { status, body } = await this.report('/orders', {
      buyer: { email },
      items: lines.map(({ offer: { type, id } }) => ({ type, id })),
      ...(coupon !== undefined && { coupon_code: coupons[coupon]?.code }),
    })
    const isOwned = lines.some(({ offer }) => this.orders.some((one) => one.email === email && gives(one, offer)))
    const isAccepted = !isOwned && !this.isUsedUp(coupon) && this.hasSeat(lines)
    expect([items, coupon, status, body.error]).toEqual([items, coupon, isAccepted ? 201 : 409, body.error])
    if (!isAccepted) return
    const lineIds = body.items.map(({ id }: { id: string }) => id)
    expect(body.total.amount).toBe(sum(lines, ({ total }) => total))
    this.orders.push({
      id: body.id,
      number: body.number,
      email,
      lineIds,
      lines,
      coupon,
      status: body.total.amount === 0 ? 'paid' : 'pending',
    })
  }

  async change(one: ModelOrder, verb: 'pay' | 'fail' | 'cancel' | 'expire'): Promise<void> {
    const { status } = one
    if (verb === 'expire') {
      if (status === 'pending') await this.expire(one)
      return
    }
    const amount = sum(one.lines, ({ total }) => total)
    const { status: answered } = await this.report(`/orders/${one.number}/${verb}`, verb === 'pay' ? { amount, currency: 'EUR' } : {})
    const next = { pay: 'paid', fail: 'failed', cancel: 'canceled' }[verb]
    const from = { pay: ['pending', 'failed'], fail: ['pending', 'failed'], cancel: ['pending', 'failed', 'canceled'] }[verb]
    const isAgain = verb === 'pay' && status === 'failed'
    const isAccepted = from.includes(status) && (!isAgain || (!this.isUsedUp(one.coupon) && this.hasSeat(one.lines)))
    expect([verb, status, answered]).toEqual([verb, status, isAccepted ? 200 : 409])
    if (isAccepted) one.status = next
  }

  async refund(one: ModelOrder, { percent, line }: Extract<Step, { do: 'refund' }>): Promise<void> {
    const index = line === undefined ? undefined : line % one.lines.length
    const chosen = one.lines.filter((_, place) => index === undefined || place === index)
    const rest = sum(chosen, ({ total, refunded }) => total - refunded)
    const amount = percent === 100 ? undefined : Math.max(1, Math.floor((rest * percent) / 100))
    const body = index === undefined ? { amount } : { items: [{ line: one.lineIds[index], amount }] }
    const { status } = await this.report(`/orders/${one.number}/refund`, body)
    const isFree = sum(one.lines, ({ total }) => total) === 0
    const isOpen = one.status === 'paid' || one.status === 'partially_refunded'
    const isAccepted = isOpen && (isFree ? index === undefined && amount === undefined : rest > 0)
    expect([body, one.status, status]).toEqual([body, one.status, isAccepted ? 200 : isOpen ? 422 : 409])
    if (!isAccepted) return
    const refunded = amount ?? rest
    const rests = chosen.map((each) => each.total - each.refunded)
    const cut = (upTo: number): number => (rest === 0 ? 0 : Math.floor((refunded * sum(rests.slice(0, upTo), (each) => each)) / rest))
    const parts = chosen.map((_, place) => cut(place + 1) - cut(place))
    for (const [place, each] of chosen.entries()) {
      const part = parts[place] ?? 0
      each.refunded += part
      if (part > 0 && each.refunded === each.total) each.isEnded = true
    }
    const isWhole = returned(one) === received(one)
    if (isWhole) for (const each of one.lines) each.isEnded = true
    one.status = isWhole ? 'refunded' : 'partially_refunded'
  }

  async expire(one: ModelOrder): Promise<void> {
    const { database } = sales.service
    await database.sql.query(`UPDATE orders SET expires_at = now() - interval '1 second' WHERE school_id = $1 AND number = $2`, [
      sales.schoolId,
      one.number,
    ])
    await database.transaction((writer) => expireOrders(writer, { now: new Date(), limit: 10 }))
    one.status = 'expired'
  }

  /** A report that was accepted has the same response for ever, and changes nothing again. */
  async repeat(index: number): Promise<void> {
    const earlier = this.sent[index]
    if (!earlier || earlier.answer.status >= 400) return
    const again = await sales.platform.report(earlier.path, earlier.body)
    expect([again.status, again.body]).toEqual([earlier.answer.status, earlier.answer.body])
  }

  async verify(): Promise<void> {
    for (const one of this.orders) await verifyOrder(one)
    const { sql } = sales.service.database
    for (const email of this.emails) {
      const own = this.orders.filter((one) => one.email === email)
      const [person] = await sql.query<{ spend: string; owned: string[] }>(
        `SELECT lifetime_spend AS spend, ARRAY(
           SELECT product_id::text FROM product_grant g WHERE g.school_id = p.school_id AND g.person_id = p.id AND g.revoked_at IS NULL
           UNION SELECT event_id::text FROM rsvp r WHERE r.school_id = p.school_id AND r.person_id = p.id AND r.status = 'going' ORDER BY 1) AS owned
           FROM person p WHERE p.school_id = $1 AND p.email = $2`,
        [sales.schoolId, email],
      )
      const open = offered.filter((offer) => own.some((one) => gives(one, offer))).map(({ stored }) => stored)
      expect([email, Number(person?.spend ?? 0), person?.owned ?? []]).toEqual([
        email,
        sum(own, (one) => received(one) - returned(one)),
        open.toSorted(),
      ])
    }
    for (const [index, { id }] of coupons.entries()) {
      const [uses] = await sql.query<{ count: number; held: number }>(
        `SELECT redemptions_count AS count, (SELECT count(*)::int FROM coupon_redemption r WHERE r.school_id = c.school_id AND r.coupon_id = c.id AND r.status <> 'released') AS held
           FROM coupon c WHERE c.school_id = $1 AND c.id = $2`,
        [sales.schoolId, id],
      )
      const held = this.orders.filter((one) => one.coupon === index && isHeld(one)).length
      expect([index, uses?.count, uses?.held]).toEqual([index, held, held])
    }
    const [event] = await sql.query<{ taken: number }>(`SELECT going_count AS taken FROM event WHERE school_id = $1 AND id = $2`, [
      sales.schoolId,
      offered[2]?.stored,
    ])
    expect(event?.taken).toBe(this.seatsTaken())
  }

  /** Ends what would reach into the next history: uses of coupons, and seats. */
  async end(): Promise<void> {
    const { sql } = sales.service.database
    await sql.query('DELETE FROM coupon_redemption WHERE school_id = $1', [sales.schoolId])
    await sql.query('UPDATE coupon SET redemptions_count = 0 WHERE school_id = $1', [sales.schoolId])
    await sql.query('DELETE FROM rsvp WHERE school_id = $1', [sales.schoolId])
    await sql.query('UPDATE order_item SET reserved_seats = 0 WHERE school_id = $1', [sales.schoolId])
    await sql.query('UPDATE event SET going_count = 0 WHERE school_id = $1', [sales.schoolId])
  }
}

/** The order as the API shows it, and its invoice less its credit notes. */
async function verifyOrder(one: ModelOrder): Promise<void> {
  const { body } = await sales.call('GET', `/orders/${one.id}`)
  expect([one.number, body.status, body.refunded_total.amount]).toEqual([one.number, one.status, returned(one)])
  expect(body.items.map(({ refunded }: { refunded: { amount: number } }) => refunded.amount)).toEqual(
    one.lines.map(({ refunded }) => refunded),
  )
  expect(body.invoice_number !== null).toBe(received(one) > 0)
  if (body.invoice_number === null) return
  const { body: invoice } = await sales.call('GET', `/orders/${one.id}/invoice`)
  const notes: { total: { amount: number }; tax_total: { amount: number }; invoice_number: string }[] = []
  for (const { id } of body.refunds) notes.push((await sales.call('GET', `/orders/${one.id}/credit_notes/${id}`)).body)
  for (const note of notes) expect(note.invoice_number).toBe(body.invoice_number)
  const money = invoice.total.amount - sum(notes, ({ total }) => total.amount)
  const tax = invoice.tax_total.amount - sum(notes, ({ tax_total }) => tax_total.amount)
  expect([money, tax]).toEqual([received(one) - returned(one), taxLeft(one)])
}

test('for every sequence of orders, payments, declines, refunds, cancellations and repeats: orders, invoices, reports, access, coupons and seats agree', async () => {
  const all: ModelOrder[] = []
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 16 }), async (steps) => {
      const history = new History()
      try {
        for (const one of steps) await history.run(one)
        await history.verify()
      } finally {
        all.push(...history.orders)
        await history.end()
      }
    }),
    { numRuns: 20, endOnFailure: true },
  )
  await sales.refresh()
  const [revenue, tax] = [
    (await sales.call('GET', '/analytics/revenue?group_by=coupon')).body,
    (await sales.call('GET', '/analytics/tax')).body,
  ]
  const [left, taxes] = [sum(all, (one) => received(one) - returned(one)), sum(all, taxLeft)]
  expect([revenue.totals.net.amount, revenue.totals.tax.amount]).toEqual([left, taxes])
  expect(sum(revenue.groups as { net: { amount: number } }[], ({ net }) => net.amount)).toBe(left)
  expect([tax.totals.gross.amount - tax.totals.refunded.amount, tax.totals.tax_due.amount]).toEqual([left, taxes])
  expect(sum(tax.groups as { tax_due: { amount: number } }[], ({ tax_due }) => tax_due.amount)).toBe(taxes)
})
