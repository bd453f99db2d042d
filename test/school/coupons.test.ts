import { beforeAll, describe, expect, test } from 'vitest'
import { toPublicId } from '../../src/base/ids.ts'
import { databasesToTest } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { newPlan, newSubscription } from '../support/memberships.ts'
import { untilServed } from '../support/poll.ts'
import { newAccount } from '../support/rows.ts'
import { newCoupon, newCourse, newPerson, newProduct } from '../support/shop.ts'
import { type Reply, startDemoApi } from './demoApi.ts'

const owner = 'owner@example.com'
const learner = 'learner001@example.org'
const last = (await databasesToTest()).slice(-1)

describe.each(last)('coupons on $name', ({ open }) => {
  const api = duringTests(async () => startDemoApi(await open()))
  let course: string
  let product: string
  beforeAll(async () => {
    course = toPublicId('crs', await newCourse(api.database.sql, api.school.id))
    await api.database.sql.query(`UPDATE course SET access = 'paid', price_amount = 8900, price_currency = 'EUR' WHERE slug LIKE 'salt-%'`)
    product = toPublicId('dgp', await newProduct(api.database.sql, api.school.id, { price: 901 }))
  })

  let serial = 0
  const post = (path: string, body: object, as: string | undefined = owner) => api.send(`/api/v1/${path}`, { as, body })
  const make = async (more: object = {}): Promise<Record<string, unknown> & { id: string; code: string }> => {
    const reply = await post('coupons', { code: `TEST-${serial++}`, discount: { type: 'percent', percent_off: 100 }, ...more })
    expect([reply.status, reply.status === 201 || reply.text]).toEqual([201, true])
    return reply.json as never
  }
  const validate = (code: string, as?: string, items: object[] = [{ type: 'course', id: course }]) =>
    api.send('/api/v1/coupons/validate', { as, body: { code, items } })
  const redeem = (code: string, as: string, item: object = { type: 'digital_product', id: product }, headers = {}) =>
    untilServed(() => api.send('/api/v1/coupon_redemptions', { as, body: { code, item }, headers }))
  const status = async (id: string) => (await api.get(`/api/v1/coupons/${id}`, { as: owner })).json.status
  const count = async (id: string) => (await api.get(`/api/v1/coupons/${id}`, { as: owner })).json.redemptions_count
  /** Creates a new person who can sign in. */
  const somebody = async (): Promise<string> => {
    const { sql } = api.database
    const account = await newAccount(sql, api.school.id)
    const [row] = await sql.query<{ email: string }>('SELECT email FROM account WHERE id = $1', [account])
    const person = await newPerson(sql, api.school.id, { email: row?.email as string })
    await sql.query('UPDATE person SET account_id = $2 WHERE id = $1', [person, account])
    return row?.email as string
  }

  test.each([33.33, 0.07, 0.14, 8.2, 19.99, 0.01, 100])('takes %j percent, as every number with two decimals', async (percent) => {
    expect(await make({ discount: { type: 'percent', percent_off: percent } })).toMatchObject({ discount: { percent_off: percent } })
  })

  test('a code is stored in capitals, unique, and never changed', async () => {
    const made = await make({ code: 'spring-25' })
    expect(made.code).toBe('SPRING-25')
    expect((await post('coupons', { code: 'Spring-25', discount: { type: 'percent', percent_off: 1 } })).json.error).toBe('code_taken')
    const changed = await api.send(`/api/v1/coupons/${made.id}`, { method: 'PATCH', as: owner, body: { code: 'OTHER' } })
    expect(changed.json.error).toBe('immutable_field')
  })

  test.each([
    ['no spaces', 'autumn-25'],
    ['spaces around it', ' AUTUMN-25 '],
    ['no-break spaces', '\u00a0Autumn-25\u00a0'],
    ['a non-breaking hyphen', 'AUTUMN\u201125'],
    ['a dash and invisible characters', '\ufeffAUTUMN\u2013\u200b25'],
    ['full-width letters', 'ＡＵＴＵＭＮ-25'],
  ])('a code that is copied with %s is the code, in the check, the order, the redemption and the filter', async (_, typed) => {
    const made = await api.send('/api/v1/coupons', {
      as: owner,
      body: { code: 'AUTUMN-25', discount: { type: 'percent', percent_off: 100 } },
    })
    expect([201, 409]).toContain(made.status)
    expect((await validate(typed)).json).toMatchObject({ valid: true })
    expect(await redeem(typed, await somebody())).toMatchObject({ status: 201, json: { code: 'AUTUMN-25' } })
    const found = await api.get(`/api/v1/coupons?code=${encodeURIComponent(typed)}`, { as: owner })
    expect(found.json.data).toMatchObject([{ code: 'AUTUMN-25' }])
    const begun = await api.get(`/api/v1/coupons?code[prefix]=${encodeURIComponent(typed.slice(0, -2))}`, { as: owner })
    expect(begun.json.data).toMatchObject([{ code: 'AUTUMN-25' }])
    expect((await post('coupons', { code: typed, discount: { type: 'percent', percent_off: 1 } })).json.error).toBe('code_taken')
  })

  test.each([
    [{ discount: { type: 'percent', percent_off: 0 } }, 'discount.percent_off'],
    [{ discount: { type: 'percent', percent_off: 100.01 } }, 'discount.percent_off'],
    [{ discount: { type: 'percent', percent_off: 0.001 } }, 'discount.percent_off'],
    [{ discount: { type: 'percent', percent_off: 33.333 } }, 'discount.percent_off'],
    [{ discount: { type: 'amount', amount_off: { amount: 0, currency: 'EUR' } } }, 'discount.amount_off.amount'],
    [{ discount: { type: 'amount', amount_off: { amount: 5, currency: 'USD' } } }, 'discount.amount_off.currency'],
    [{ minimum_subtotal: { amount: 5, currency: 'USD' } }, 'minimum_subtotal.currency'],
    [{ duration: 'repeating' }, 'duration_months'],
    [{ duration_months: 3 }, 'duration_months'],
    [{ starts_at: '2026-02-01T00:00:00Z', ends_at: '2026-02-01T00:00:00Z' }, 'ends_at'],
    [{ applies_to: { items: [{ type: 'course', id: 'crs_01jgwejj00e6srgkpqm2sqf05m' }] } }, 'applies_to.items'],
    [{ applies_to: { all: true, items: [{ type: 'course', id: 'crs_01jgwejj00e6srgkpqm2sqf05m' }] } }, 'applies_to'],
    [{ applies_to: {} }, 'applies_to'],
    [{ audience: { person_ids: ['std_01jgwejj00e6srgkpqm2sqf05m'] } }, 'audience.person_ids'],
    [{ max_redemptions: 0 }, 'max_redemptions'],
    [{ code: 'a b' }, 'code'],
  ])('%o is refused at %s', async (more, field) => {
    const reply = await post('coupons', { code: `BAD-${serial++}`, discount: { type: 'percent', percent_off: 10 }, ...more })
    expect([reply.status, (reply.json.details as { field: string }[]).map((one) => one.field)]).toEqual([
      422,
      expect.arrayContaining([field]),
    ])
  })

  test('returns the values that were written, and a patch replaces the members that it names', async () => {
    const terms = {
      name: 'Spring sale',
      discount: { type: 'amount', amount_off: { amount: 1050, currency: 'EUR' } },
      duration: 'repeating',
      duration_months: 3,
      applies_to: { items: [{ type: 'course', id: course }] },
      audience: { labels: ['alumni'] },
      minimum_subtotal: { amount: 2000, currency: 'EUR' },
      first_purchase_only: true,
      max_redemptions: 7,
      max_redemptions_per_person: 2,
    }
    const made = await make(terms)
    expect(made).toMatchObject({ ...terms, status: 'active', redemptions_count: 0 })
    const patch = { discount: { type: 'percent', percent_off: 12.35, amount_off: null }, applies_to: { all: true, items: null } }
    const changed = await api.send(`/api/v1/coupons/${made.id}`, { method: 'PATCH', as: owner, body: patch })
    expect(changed.json).toMatchObject({ discount: { type: 'percent', percent_off: 12.35 }, applies_to: { all: true } })
    const found = await api.get(`/api/v1/coupons?item_id=${course}`, { as: owner })
    expect(found.json.data).toEqual([])
  })

  const ends = { future: new Date(Date.now() + 86_400_000).toISOString(), past: new Date(Date.now() - 86_400_000).toISOString() }
  /** The result of each action in each state of a coupon. */
  const table: [string, object, string, Record<string, string>][] = [
    ['active', {}, 'true', { pause: 'paused', resume: 'active', archive: 'archived' }],
    ['scheduled', { starts_at: ends.future }, 'true', { pause: 'paused', resume: 'scheduled', archive: 'archived' }],
    ['expired', { ends_at: ends.past }, 'true', { pause: '-', resume: '-', archive: 'archived' }],
    ['exhausted', { max_redemptions: 1 }, 'redemptions_count = 1', { pause: 'paused', resume: 'exhausted', archive: 'archived' }],
    ['paused', {}, 'paused_at = now()', { pause: 'paused', resume: 'active', archive: 'archived', restore: 'paused' }],
    ['archived', {}, 'archived_at = now()', { pause: '-', resume: '-', archive: 'archived', restore: 'active' }],
  ]
  test.each(table)(
    'a coupon that is %s goes where the table says, is found by its state, and only an active one can be used',
    async (state, more, set, steps) => {
      for (const [action, end] of Object.entries(steps)) {
        const { id, code } = await make(more)
        if (set !== 'true') await api.database.sql.query(`UPDATE coupon SET ${set} WHERE code = $1`, [code])
        expect(await status(id)).toBe(state)
        expect(
          ((await api.get(`/api/v1/coupons?status=${state}&limit=100`, { as: owner })).json.data as { id: string }[]).map((row) => row.id),
        ).toContain(id)
        expect((await validate(code)).json.valid).toBe(state === 'active')
        const version = (await api.get(`/api/v1/coupons/${id}`, { as: owner })).headers.get('etag')?.split('-')[0]
        const reply = await post(`coupons/${id}/${action}`, {})
        expect([action, reply.status]).toEqual([action, end === '-' ? 409 : 200])
        expect(await status(id)).toBe(end === '-' ? state : end)
        if (end === state) expect(reply.headers.get('etag')?.split('-')[0]).toBe(version)
      }
    },
  )

  test('a coupon with a minimum is usable from that very amount on', async () => {
    const { code } = await make({ minimum_subtotal: { amount: 8900, currency: 'EUR' } })
    expect((await validate(code, owner)).json).toMatchObject({ valid: true, subtotal: { amount: 8900 } })
    const product = toPublicId('dgp', await newProduct(api.database.sql, api.school.id, { price: 8900 }))
    expect((await redeem(code, learner, { type: 'digital_product', id: product })).status).toBe(201)
  })

  test('a coupon that a person has used as often as it allows is not usable for them any more, and still is for others', async () => {
    const { code } = await make({ max_redemptions_per_person: 2 })
    const [as, another] = [await somebody(), await somebody()]
    const products = await Promise.all(
      [1, 2].map(async () => toPublicId('dgp', await newProduct(api.database.sql, api.school.id, { price: 5 }))),
    )
    const valid = async (who: string) => (await validate(code, who)).json.valid
    for (const [used, id] of products.entries()) {
      expect([used, await valid(as)]).toEqual([used, true])
      expect((await redeem(code, as, { type: 'digital_product', id })).status).toBe(201)
    }
    expect([await valid(as), await valid(another)]).toEqual([false, true])
  })

  test('visitors and learners get one reason for every case, staff the real one', async () => {
    const hidden = [
      ['unknown_code', 'NO-SUCH'],
      ['expired', (await make({ ends_at: ends.past })).code],
      ['scheduled', (await make({ starts_at: ends.future })).code],
      ['other_items', (await make({ applies_to: { items: [{ type: 'digital_product', id: product }] } })).code],
      ['below_minimum', (await make({ minimum_subtotal: { amount: 8901, currency: 'EUR' } })).code],
    ] as const
    const shapes = new Set<string>()
    for (const [reason, code] of hidden) {
      for (const as of [undefined, learner]) {
        const reply = await validate(code, as)
        expect([reply.status, reply.json.valid, reply.json.reason]).toEqual([200, false, 'not_applicable'])
        shapes.add(reply.text)
      }
      expect([code, (await validate(code, owner)).json.reason]).toEqual([code, reason])
    }
    expect(shapes.size).toBe(1)
    const some = await make({ audience: { labels: ['alumni'] } })
    expect((await validate(some.code)).json.valid).toBe(false)
    expect((await validate(some.code, owner)).json.valid).toBe(true)
  })

  test('a quote names the remaining amount of each line to the unit, and no limits', async () => {
    const { code } = await make({ discount: { type: 'percent', percent_off: 12.5 }, max_redemptions: 5, note: 'zq7xk' })
    const reply = await validate(code, undefined, [
      { type: 'course', id: course },
      { type: 'digital_product', id: product },
    ])
    expect(reply.json).toMatchObject({
      valid: true,
      reason: null,
      discount: { type: 'percent', percent_off: 12.5 },
      lines: [
        { discount: { amount: 1113 }, total: { amount: 7787 } },
        { discount: { amount: 113 }, total: { amount: 788 } },
      ],
      subtotal: { amount: 9801, currency: 'EUR' },
      discount_total: { amount: 1226 },
      total: { amount: 8575 },
    })
    expect(Object.keys(reply.json)).toEqual(['valid', 'reason', 'discount', 'lines', 'subtotal', 'discount_total', 'total'])
    const draft = toPublicId('crs', await newCourse(api.database.sql, api.school.id))
    await api.database.sql.query(`UPDATE course SET status = 'draft' WHERE id = (SELECT max(id::text)::uuid FROM course)`)
    expect((await validate(code, undefined, [{ type: 'course', id: draft }])).json.error).toBe('invalid_reference')
  })

  test('a remaining price leads to the checkout with the code, and reserves nothing', async () => {
    const { id, code } = await make({ discount: { type: 'percent', percent_off: 50 } })
    const reply = await redeem(code.toLowerCase(), await somebody())
    expect(reply).toMatchObject({
      status: 422,
      json: {
        error: 'checkout_required',
        details: [{ meta: { checkout_url: expect.stringContaining(`code=${code}`), quote: { total: { amount: 450 } } } }],
      },
    })
    expect(await count(id)).toBe(0)
  })

  test('a redemption creates one use, one order of zero and the access, once; a retry with the same key returns the same', async () => {
    const { id, code } = await make({ max_redemptions_per_person: 2 })
    const who = await somebody()
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => redeem(code, who, { type: 'course', id: course }, { 'idempotency-key': 'once' })),
    )
    const done = replies.filter(({ status }) => status === 201)
    expect(done.length).toBeGreaterThan(0)
    expect(replies.every(({ status, json }) => status === 201 || json.error === 'idempotency_in_progress')).toBe(true)
    expect(new Set(done.map(({ text }) => text)).size).toBe(1)
    expect(await count(id)).toBe(1)
    const [order] = await api.database.sql.query(
      `SELECT o.status, o.kind, o.total_amount::text AS total, o.discount_amount::text AS discount, o.coupon_code,
              (SELECT source FROM enrollment e WHERE e.order_id = o.id) AS source
         FROM orders o JOIN coupon_redemption r ON r.order_id = o.id JOIN coupon c ON c.id = r.coupon_id WHERE c.code = $1`,
      [code],
    )
    expect(order).toEqual({ status: 'paid', kind: 'zero_total', total: '0', discount: '8900', coupon_code: code, source: 'coupon' })
    expect(await redeem(code, who, { type: 'course', id: course })).toMatchObject({ status: 409, json: { error: 'invalid_state' } })
    expect(done[0]?.json).toMatchObject({
      object: 'coupon_redemption',
      code,
      status: 'confirmed',
      amount_off: { amount: 8900, currency: 'EUR' },
    })
    const mine = await api.get('/api/v1/coupon_redemptions', { as: who })
    expect((mine.json.data as { code: string }[]).map((use) => use.code)).toEqual([code])
    const expanded = await api.get('/api/v1/coupon_redemptions?expand=order', { as: who })
    expect(expanded.json.data).toMatchObject([{ order: { object: 'order', status: 'paid' } }])
    const orders = await api.get(`/api/v1/orders?coupon_id=${id}`, { as: who })
    expect(orders.json.data).toMatchObject([{ object: 'order', kind: 'zero_total' }])
    expect((await api.get(`/api/v1/coupons/${id}/redemptions`, { as: who })).status).toBe(404)
    expect(((await api.get(`/api/v1/coupons/${id}/redemptions`, { as: owner })).json.data as object[]).length).toBe(1)
  })

  test('200 concurrent people use a coupon for 50 exactly 50 times, and none of them twice', async () => {
    const { id, code } = await make({ max_redemptions: 50 })
    const people = await Promise.all(Array.from({ length: 200 }, somebody))
    const replies = await Promise.all(people.map((who) => redeem(code, who)))
    const outcomes = Map.groupBy(replies, ({ status, json }: Reply) => (status === 201 ? 'redeemed' : String(json.error)))
    expect(Object.fromEntries([...outcomes].map(([name, list]) => [name, list.length]))).toEqual({ redeemed: 50, coupon_unavailable: 150 })
    const [rows] = await api.database.sql.query(
      `SELECT count(DISTINCT r.person_id)::int AS people, count(*)::int AS uses, count(DISTINCT o.number)::int AS orders, count(g.id)::int AS grants
         FROM coupon c JOIN coupon_redemption r ON r.coupon_id = c.id JOIN orders o ON o.id = r.order_id
         JOIN product_grant g ON g.order_id = o.id AND g.person_id = r.person_id WHERE c.code = $1`,
      [code],
    )
    expect(rows).toEqual({ people: 50, uses: 50, orders: 50, grants: 50 })
    expect(await count(id)).toBe(50)
    const winner = people[replies.findIndex(({ status }) => status === 201)] as string
    expect((await redeem(code, winner, { type: 'course', id: course })).json.error).toBe('coupon_unavailable')
    await api.send(`/api/v1/coupons/${id}`, { method: 'PATCH', as: owner, body: { max_redemptions: 60 } })
    expect((await redeem(code, winner, { type: 'course', id: course })).json.error).toBe('coupon_already_used')
    expect(await count(id)).toBe(50)
    const lowered = await api.send(`/api/v1/coupons/${id}`, { method: 'PATCH', as: owner, body: { max_redemptions: 49 } })
    expect(lowered.json.details).toMatchObject([{ field: 'max_redemptions', code: 'min' }])
    const cheaper = await api.send(`/api/v1/coupons/${id}`, {
      method: 'PATCH',
      as: owner,
      body: { discount: { type: 'percent', percent_off: 99 } },
    })
    expect(cheaper.json.details).toMatchObject([{ field: 'discount', code: 'immutable_field' }])
    expect((await api.send(`/api/v1/coupons/${id}`, { method: 'DELETE', as: owner })).json.error).toBe('resource_in_use')
    // A subscription without the coupon, and orders with another one.
    const { sql } = api.database
    const person = { personId: await newPerson(sql, api.school.id), ...(await newPlan(sql, api.school.id)) }
    await newSubscription(sql, api.school.id, person)
    const unused = await make()
    expect((await api.send(`/api/v1/coupons/${unused.id}`, { method: 'DELETE', as: owner })).status).toBe(204)
  })

  test('ten concurrent clicks of one person use a coupon once, and the others get an error', async () => {
    const { id, code } = await make({})
    const who = await somebody()
    const replies = await Promise.all(Array.from({ length: 10 }, () => redeem(code, who)))
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(replies.filter(({ status }) => status === 409)).toHaveLength(9)
    expect(await count(id)).toBe(1)
  })

  test('a coupon for some people is rejected for others, and staff redeem on behalf of people', async () => {
    const [chosen, other] = [await somebody(), await somebody()]
    const me = async (as: string) => ((await api.get('/api/v1/students', { as })).json.data as { id: string }[])[0]?.id as string
    const { code } = await make({ audience: { person_ids: [await me(chosen)] } })
    expect((await redeem(code, other)).json).toMatchObject({ error: 'coupon_unavailable', details: [{ code: 'not_applicable' }] })
    const forOther = { code, item: { type: 'digital_product', id: product }, student_id: await me(chosen) }
    expect((await post('coupon_redemptions', forOther, other)).json.error).toBe('access_denied')
    expect((await post('coupon_redemptions', forOther, owner)).json).toMatchObject({
      person: { student_id: await me(chosen) },
      status: 'confirmed',
    })
    const labelled = await make({ audience: { labels: ['alumni'] } })
    expect((await redeem(labelled.code, other)).json.error).toBe('coupon_unavailable')
    await api.database.sql.query(
      `INSERT INTO person_tag SELECT school_id, id, 'member_label', 'alumni' FROM person WHERE school_id = $1 AND email = $2`,
      [api.school.id, other],
    )
    expect((await redeem(labelled.code, other)).status).toBe(201)
    const first = await make({ first_purchase_only: true })
    expect((await redeem(first.code, other, { type: 'course', id: course })).json.error).toBe('coupon_unavailable')
    expect((await redeem(first.code, await somebody())).status).toBe(201)
  })

  test('a batch has as many codes as asked for, all different, none with characters that are mistaken for others', async () => {
    const template = {
      discount: { type: 'percent', percent_off: 100 },
      applies_to: { items: [{ type: 'digital_product', id: product }] },
      name: 'Gift',
    }
    const reply = await post('coupons/generate', { template, prefix: 'gift-', count: 1000, random_length: 8 })
    expect([reply.status, reply.json.count]).toEqual([201, 1000])
    const codes = reply.json.codes as string[]
    expect(new Set(codes).size).toBe(1000)
    expect(codes.every((code) => /^GIFT-[2-9A-HJKMNP-Z]{8}$/.test(code))).toBe(true)
    const batch = await api.get(`/api/v1/coupons?batch_id=${String(reply.json.batch_id)}&include=total_count&limit=1`, { as: owner })
    expect(batch.json).toMatchObject({
      page: { total: { count: 1000 } },
      data: [{ ...template, max_redemptions: 1, batch_id: reply.json.batch_id }],
    })
    const [code = ''] = codes
    expect((await redeem(code, await somebody())).status).toBe(201)
    expect((await redeem(code, await somebody())).json.error).toBe('coupon_unavailable')
    expect((await post('coupons/generate', { template, count: 1001 })).status).toBe(422)
    expect((await post('coupons/generate', { template: { ...template, discount: undefined }, count: 1 })).status).toBe(422)
  })

  test('another school has its own codes', async () => {
    const { code } = await make()
    const other = await startDemoApi({ database: api.database, drop: async () => {} })
    const items = [{ type: 'course', id: course }]
    expect((await other.send('/api/v1/coupons/validate', { body: { code, items } })).json.error).toBe('invalid_reference')
    await newCoupon(api.database.sql, other.school.id, { code })
    await other.stop()
  })
})
