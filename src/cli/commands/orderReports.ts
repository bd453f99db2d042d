import { itemTypeOf } from '../../domain/itemRef.ts'
import { findOrder } from '../../domain/orders/listOrders.ts'
import { failure, usage } from '../failures.ts'
import { reportCommand } from '../reportCommand.ts'

const parameter = 'an order number such as 2026-000512'

/** `orders create`, `orders pay` and `orders fail`: the checkout of another system of the school. */
export const orderReports = [
  reportCommand({
    operation: 'createOrder',
    name: 'create',
    summary: 'Start the checkout of an order: pending, with its coupon reserved. If nothing is left to pay, it is paid immediately.',
    examples: [
      'orders create --buyer wren@example.org --item crs_01jgwejj00e6srgkpqm2sqf05m --coupon SPRING25',
      'orders create --buyer wren@example.org --item mpl_01jgwejj00e6srgkpqm2sqf05m:prc_01jgwejj00e6srgkpqm2sqf05m',
    ],
    names: { 'buyer.email': 'buyer', 'buyer.name': 'name', items: 'item', coupon_code: 'coupon', expires_in_minutes: 'minutes' },
    parse: { items: itemOf },
    print: orderLine,
  }),
  reportCommand({
    operation: 'payOrder',
    name: 'pay <number>',
    summary: 'Report the payment of an order. The amount must be its total. The buyer gets access immediately.',
    examples: [
      'orders pay 2026-000512 --reference pi_3P9 --amount 3900',
      'orders pay 2026-000512 --reference "SEPA 81-2" --amount 3900 --provider bank_transfer',
    ],
    parameter,
    isReferenceRequired: true,
    defaults: ['currency'],
    async complete(body, session, number) {
      const school = await session.school()
      const order = await findOrder(school.rows, { number })
      if (!order) throw failure(`order ${number} does not exist: see orders list`)
      return { currency: order.currency, ...body }
    },
    print: orderLine,
  }),
  reportCommand({
    operation: 'failOrder',
    name: 'fail <number>',
    summary: 'Report a declined payment. It releases the coupon; a later payment is accepted.',
    examples: ['orders fail 2026-000512 --code card_declined'],
    parameter,
    names: { failure_code: 'code' },
    print: orderLine,
  }),
]

function itemOf(text: string): { type: string; id: string; price_id?: string } {
  const [id = '', priceId] = text.split(':')
  const type = itemTypeOf(id)
  if (type === undefined) throw usage(`--item ${text} is not the id of a course, a digital product, an event or a plan`)
  return { type, id, ...(priceId !== undefined && { price_id: priceId }) }
}

export function orderLine({ number, status, total }: Record<string, unknown>): string {
  const { amount, currency } = Object(total)
  return `${String(number)} ${String(status)} ${amount} ${currency}`
}
