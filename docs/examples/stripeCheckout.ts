/**
 * The checkout of a school with Stripe: `checkout_url` leads here, Stripe takes the money, and its webhook reports the result to the
 * platform intake of Schoolgate. See docs/payments.md.
 *
 *   PLATFORM_URL=http://127.0.0.1:9464 PLATFORM_KEY=… STRIPE_KEY=sk_… STRIPE_WEBHOOK_SECRET=whsec_… SHOP_URL=https://shop.example.com \
 *     node docs/examples/stripeCheckout.ts
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'

const { PLATFORM_URL, PLATFORM_KEY, STRIPE_KEY, STRIPE_WEBHOOK_SECRET = '', SHOP_URL, PORT = '4242' } = process.env
const stripeUrl = process.env.STRIPE_URL ?? 'https://api.stripe.com'
const school = process.env.SCHOOL

interface Order {
  number: string
  status: string
  total: { amount: number; currency: string }
  expires_at: string
  items: { title: string }[]
}

/** Sends a report to Schoolgate. The same reference counts once, so every report can be repeated. */
async function report(path: string, body: object): Promise<{ status: number; order: Order; error?: string }> {
  const response = await fetch(`${PLATFORM_URL}/platform/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${PLATFORM_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ school, ...body }),
  })
  const order = (await response.json()) as Order & { error?: string }
  return { status: response.status, order, ...(order.error !== undefined && { error: order.error }) }
}

async function stripe(path: string, fields: Record<string, string>, key: string): Promise<{ id: string; url: string }> {
  const response = await fetch(`${stripeUrl}/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${STRIPE_KEY}`, 'Idempotency-Key': key },
    body: new URLSearchParams(fields),
  })
  if (!response.ok) throw new Error(`Stripe answered ${response.status}: ${await response.text()}`)
  return (await response.json()) as { id: string; url: string }
}

/** 1. The buyer arrives from `checkout_url`, is named by your sign-in or a form, and goes on to Stripe with a pending order. */
async function checkout(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const form = new URLSearchParams(await text(request))
  const cart = form.get('cart') ?? ''
  const { status, order, error } = await report('/orders', {
    reference: `cart-${cart}`,
    buyer: { email: form.get('email') },
    items: [{ type: form.get('type'), id: form.get('id') }],
    coupon_code: form.get('code') || undefined,
    // Stripe keeps a checkout open for half an hour at least: the order waits a little longer.
    expires_in_minutes: 45,
  })
  if (status !== 201) return void response.writeHead(422).end(`This cannot be bought: ${error}`)
  if (order.status === 'paid') return void response.writeHead(303, { location: `${SHOP_URL}/thanks` }).end()
  const session = await stripe(
    '/checkout/sessions',
    {
      mode: 'payment',
      success_url: `${SHOP_URL}/thanks`,
      cancel_url: `${SHOP_URL}/cart`,
      customer_email: form.get('email') ?? '',
      expires_at: String(Math.floor(Date.parse(order.expires_at) / 1000) - 600),
      'line_items[0][quantity]': '1',
      'line_items[0][price_data][currency]': order.total.currency.toLowerCase(),
      'line_items[0][price_data][unit_amount]': String(order.total.amount),
      'line_items[0][price_data][product_data][name]': order.items.map(({ title }) => title).join(', '),
      'metadata[order]': order.number,
      'payment_intent_data[metadata][order]': order.number,
    },
    order.number,
  )
  response.writeHead(303, { location: session.url }).end()
}

interface StripeEvent {
  id: string
  type: string
  data: {
    object: { id: string; payment_intent: string; amount_total: number; amount: number; currency: string; metadata: { order?: string } }
  }
}

/** Returns the event if Stripe signed it within the last five minutes. */
function verified(body: string, header: string): StripeEvent | undefined {
  const parts = header.split(',').map((part) => part.split('=', 2) as [string, string])
  const time = parts.find(([name]) => name === 't')?.[1] ?? ''
  const expected = createHmac('sha256', STRIPE_WEBHOOK_SECRET).update(`${time}.${body}`).digest()
  const isSigned = parts.some(([name, value]) => {
    const sent = Buffer.from(value ?? '', 'hex')
    return name === 'v1' && sent.length === expected.length && timingSafeEqual(sent, expected)
  })
  return isSigned && Math.abs(Date.now() / 1000 - Number(time)) < 300 ? (JSON.parse(body) as StripeEvent) : undefined
}

/** 2. Stripe reports what happened. Any answer but 2xx makes it try again for three days. */
async function webhook(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const event = verified(await text(request), String(request.headers['stripe-signature'] ?? ''))
  if (!event) return void response.writeHead(400).end('This is not from Stripe.')
  const { status } = await forward(event)
  // 409 and 422: the order takes no payment any more. A person has to look, and to refund the buyer.
  if (status === 409 || status === 422) process.stderr.write(`refund needed: Stripe event ${event.id} (${event.type})\n`)
  response.writeHead(status < 500 && status !== 401 ? 200 : 503).end()
}

async function forward({ id, type, data: { object } }: StripeEvent): Promise<{ status: number }> {
  const path = `/orders/${object.metadata.order}`
  if (object.metadata.order === undefined) return { status: 200 }
  const currency = object.currency?.toUpperCase()
  switch (type) {
    case 'checkout.session.completed':
      return await report(`${path}/pay`, { reference: object.payment_intent, amount: object.amount_total, currency })
    case 'payment_intent.payment_failed':
      return await report(`${path}/fail`, { reference: id, failure_code: 'declined' })
    case 'checkout.session.expired':
      return await report(`${path}/cancel`, { reference: id })
    case 'refund.created':
      return await report(`${path}/refund`, { reference: object.id, amount: object.amount })
    default:
      return { status: 200 }
  }
}

const server = createServer((request, response) => {
  const handle = request.url === '/stripe' ? webhook : checkout
  handle(request, response).catch((error: unknown) => {
    process.stderr.write(`${String(error)}\n`)
    response.writeHead(503).end()
  })
})
server.listen(Number(PORT), '127.0.0.1', () => process.stdout.write(`checkout ready on port ${PORT}\n`))
