import { type ChildProcess, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId, toPublicId } from '../../../src/base/ids.ts'
import { duringTests } from '../../support/duringTests.ts'
import { platformKey, startPlatform } from '../../support/platform.ts'
import { until } from '../../support/poll.ts'
import { freePort } from '../../support/process.ts'
import { startService } from '../../support/service.ts'
import { newProduct } from '../../support/shop.ts'

const file = resolve(import.meta.dirname, '../../../docs/examples/stripeCheckout.ts')
const secret = 'whsec_of_the_test'

const service = duringTests(() => startService())
const platform = duringTests(() => startPlatform(service))
let stripe: Server
let shop: ChildProcess
let shopUrl: string
let output = ''
/** The checkouts that were requested from the simulated Stripe. */
const sessions: URLSearchParams[] = []
beforeAll(async () => {
  stripe = createServer(async (request, response) => {
    sessions.push(new URLSearchParams(await text(request)))
    response.end(JSON.stringify({ id: `cs_${sessions.length}`, url: `https://checkout.stripe.test/${sessions.length}` }))
  }).listen(0, '127.0.0.1')
  const port = await freePort()
  shopUrl = `http://127.0.0.1:${port}`
  shop = spawn(process.execPath, [file], {
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      PLATFORM_URL: platform.address,
      PLATFORM_KEY: platformKey,
      STRIPE_URL: `http://127.0.0.1:${(stripe.address() as AddressInfo).port}`,
      STRIPE_KEY: 'sk_test',
      STRIPE_WEBHOOK_SECRET: secret,
      SHOP_URL: 'https://shop.test',
    },
  })
  for (const stream of [shop.stdout, shop.stderr]) stream?.on('data', (chunk) => (output += String(chunk)))
  await until(() => output.includes('checkout ready'), { what: 'the example to listen' })
})
afterAll(async () => {
  shop?.kill()
  stripe?.close()
})

async function checkout(email = `${newId()}@example.org`, cart = newId()) {
  const item = await newProduct(service.database.sql, service.schoolId(), { price: 3900 })
  const form = { cart, email, type: 'digital_product', id: toPublicId('dgp', item) }
  const response = await fetch(`${shopUrl}/checkout`, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' })
  return { status: response.status, location: response.headers.get('location'), session: sessions.at(-1) as URLSearchParams, email }
}

function deliver(type: string, object: object, { key = secret, time = Math.floor(Date.now() / 1000) } = {}): Promise<Response> {
  const body = JSON.stringify({ id: `evt_${newId()}`, type, data: { object } })
  const signature = createHmac('sha256', key).update(`${time}.${body}`).digest('hex')
  return fetch(`${shopUrl}/stripe`, { method: 'POST', body, headers: { 'stripe-signature': `t=${time},v1=${signature}` } })
}

const orderOf = async (email: string) =>
  (
    await service.database.sql.query<{ status: string; open: string; refunded: string }>(
      `SELECT o.status, o.refunded_amount AS refunded,
              (SELECT count(*) FROM product_grant g WHERE g.school_id = o.school_id AND g.person_id = o.person_id AND g.revoked_at IS NULL) AS open
         FROM orders o WHERE o.school_id = $1 AND o.buyer_email = $2`,
      [service.schoolId(), email],
    )
  ).map(({ status, open, refunded }) => [status, Number(open), Number(refunded)])

describe('the example of a checkout with Stripe', () => {
  test('has less than 150 lines', () => {
    expect(readFileSync(file, 'utf8').split('\n').length).toBeLessThan(150)
  })

  test('leads from the checkout to the paid order, once for a repeated event, and to the refund', async () => {
    const { status, location, session, email } = await checkout()
    expect([status, location]).toEqual([303, `https://checkout.stripe.test/${sessions.length}`])
    expect(session.get('line_items[0][price_data][unit_amount]')).toBe('3900')
    expect(await orderOf(email)).toEqual([['pending', 0, 0]])
    const metadata = { order: session.get('metadata[order]') }
    const paid = { payment_intent: 'pi_1', amount_total: 3900, currency: 'eur', metadata }
    expect((await deliver('checkout.session.completed', paid)).status).toBe(200)
    expect((await deliver('checkout.session.completed', paid)).status).toBe(200)
    expect(await orderOf(email)).toEqual([['paid', 1, 0]])
    for (const _repeated of [1, 2])
      expect((await deliver('refund.created', { id: 're_1', amount: 900, currency: 'eur', metadata })).status).toBe(200)
    expect(await orderOf(email)).toEqual([['partially_refunded', 1, 900]])
    await deliver('refund.created', { id: 're_2', amount: 3000, currency: 'eur', metadata })
    expect(await orderOf(email)).toEqual([['refunded', 0, 3900]])
  })

  test('believes no event that Stripe did not sign, or signed long ago', async () => {
    const { session, email } = await checkout()
    const paid = { payment_intent: 'pi_2', amount_total: 3900, currency: 'eur', metadata: { order: session.get('metadata[order]') } }
    expect((await deliver('checkout.session.completed', paid, { key: 'another' })).status).toBe(400)
    expect((await deliver('checkout.session.completed', paid, { time: Math.floor(Date.now() / 1000) - 400 })).status).toBe(400)
    expect((await fetch(`${shopUrl}/stripe`, { method: 'POST', body: '{}' })).status).toBe(400)
    expect(await orderOf(email)).toEqual([['pending', 0, 0]])
  })

  test('accepts a payment after a declined one, and cancels the order of an expired checkout', async () => {
    const first = await checkout()
    const metadata = { order: first.session.get('metadata[order]') }
    await deliver('payment_intent.payment_failed', { currency: 'eur', metadata })
    expect(await orderOf(first.email)).toEqual([['failed', 0, 0]])
    await deliver('checkout.session.completed', { payment_intent: 'pi_3', amount_total: 3900, currency: 'eur', metadata })
    expect(await orderOf(first.email)).toEqual([['paid', 1, 0]])
    const second = await checkout()
    const other = { order: second.session.get('metadata[order]') }
    await deliver('checkout.session.expired', { currency: 'eur', metadata: other })
    expect(await orderOf(second.email)).toEqual([['canceled', 0, 0]])
    const late = await deliver('checkout.session.completed', {
      payment_intent: 'pi_4',
      amount_total: 3900,
      currency: 'eur',
      metadata: other,
    })
    expect([late.status, await orderOf(second.email)]).toEqual([200, [['canceled', 0, 0]]])
    await until(() => output.includes('refund needed'), { what: 'the example to ask for a refund' })
  })
})
