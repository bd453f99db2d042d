import { type Command, Option } from 'commander'
import { itemTypeOf } from '../../domain/itemRef.ts'
import { findOrder } from '../../domain/orders/listOrders.ts'
import { paymentProviders } from '../../domain/orders/payment.ts'
import { define, type SchoolOption, withSchoolOption } from '../define.ts'
import { failure, usage } from '../failures.ts'
import { parseObject, report, withReference } from '../report.ts'
import type { Session } from '../session.ts'

interface ReportOptions extends SchoolOption {
  reference?: string
}

const wholeNumber = (option: string, text: string): number => {
  if (!/^\d{1,11}$/.test(text)) throw usage(`${option} must be a whole number in the smallest unit of the currency`)
  return Number(text)
}

interface CreateOptions extends ReportOptions {
  buyer: string
  name?: string
  item: string[]
  coupon?: string
  expectedTotal?: string
  minutes?: string
  country?: string
  billingAddress?: string
  taxId?: string
  attribution?: string
}

/** `orders create`: the checkout of another system of the school. */
export function addCreateOrder(group: Command, session: Session): void {
  const create = define(group, {
    form: 'create',
    about: 'Start the checkout of an order: pending, with its coupon reserved. If nothing is left to pay, it is paid immediately.',
    examples: [
      'orders create --buyer wren@example.org --item crs_01jgwejj00e6srgkpqm2sqf05m --coupon SPRING25',
      'orders create --buyer wren@example.org --item mpl_01jgwejj00e6srgkpqm2sqf05m:prc_01jgwejj00e6srgkpqm2sqf05m',
    ],
  })
  withReference(create)
    .requiredOption('--buyer <email>', 'e-mail address of the buyer, who becomes a student')
    .option('--name <name>', 'name of a buyer whom the school does not know')
    .addOption(
      new Option('--item <id>', 'course, digital product or event; a plan with its price: mpl_…:prc_… (repeatable)')
        .argParser((value: string, before: string[] | undefined) => [...(before ?? []), value])
        .makeOptionMandatory(),
    )
    .option('--coupon <code>', 'code of a coupon')
    .option('--expected-total <units>', 'fail if the total is another one, in the smallest unit of the currency')
    .option('--minutes <count>', 'time for the payment, from 5 to 20160', '30')
    .option('--country <code>', 'country of the buyer, which decides on the tax rate (default: that of the billing address)')
    .option('--billing-address <json>', 'billing address, such as {"name":"Wren Tallow","city":"Berlin","country":"DE"}')
    .option('--tax-id <text>', 'tax id of the buyer')
    .option('--attribution <json>', 'marketing attribution, such as {"source":"newsletter","campaign":"spring"}')
    .action(async ({ school, reference, ...options }: CreateOptions) => {
      printOrder(session, await report(session, 'createOrder', { school, reference, body: orderOf(options) }))
    })
}

function orderOf({ buyer, name, item, coupon, expectedTotal, minutes = '30', country, billingAddress, taxId, attribution }: CreateOptions) {
  return {
    buyer: { email: buyer, name },
    items: item.map(itemOf),
    coupon_code: coupon,
    expected_total: expectedTotal === undefined ? undefined : wholeNumber('--expected-total', expectedTotal),
    expires_in_minutes: wholeNumber('--minutes', minutes),
    country,
    billing_address: parseObject('--billing-address', billingAddress),
    tax_id: taxId,
    attribution: parseObject('--attribution', attribution),
  }
}

function itemOf(text: string): { type: string; id: string; price_id?: string } {
  const [id = '', priceId] = text.split(':')
  const type = itemTypeOf(id)
  if (type === undefined) throw usage(`--item ${text} is not the id of a course, a digital product, an event or a plan`)
  return { type, id, ...(priceId !== undefined && { price_id: priceId }) }
}

interface PayOptions extends ReportOptions {
  reference: string
  amount: string
  currency?: string
  provider: (typeof paymentProviders)[number]
  cardBrand?: string
  cardLast4?: string
}

/** `orders pay`: a payment that another system of the school received. */
export function addPayOrder(group: Command, session: Session): void {
  const pay = define(group, {
    form: 'pay <number>',
    about: 'Report the payment of an order. The amount must be its total. The buyer gets access immediately.',
    examples: [
      'orders pay 2026-000512 --reference pi_3P9 --amount 3900',
      'orders pay 2026-000512 --reference "SEPA 81-2" --amount 3900 --provider bank_transfer',
    ],
  })
  withSchoolOption(pay)
    .requiredOption('--reference <text>', 'identifier of the payment at the provider; unique per order')
    .requiredOption('--amount <units>', 'what the buyer paid, in the smallest unit of the currency')
    .option('--currency <code>', 'ISO 4217 code (default: that of the order)')
    .addOption(
      new Option('--provider <provider>', 'payment method').choices(paymentProviders.filter((one) => one !== 'none')).default('card'),
    )
    .option('--card-brand <name>', 'card brand, such as visa')
    .option('--card-last4 <digits>', 'last four digits of the card number')
    .action(async (number: string, { school, reference, amount, currency, provider, cardBrand, cardLast4 }: PayOptions) => {
      const paid = wholeNumber('--amount', amount)
      const order = await requireNumber(session, school, number)
      const body = { amount: paid, currency: currency ?? order.currency, provider, card_brand: cardBrand, card_last4: cardLast4 }
      printOrder(session, await report(session, 'payOrder', { school, reference, parameter: number, body }))
    })
}

/** `orders fail`: a declined payment. */
export function addFailOrder(group: Command, session: Session): void {
  const fail = define(group, {
    form: 'fail <number>',
    about: 'Report a declined payment. It releases the coupon; a later payment is accepted.',
    examples: ['orders fail 2026-000512 --code card_declined'],
  })
  withReference(fail)
    .option('--code <text>', 'why the payment was declined', 'declined')
    .action(async (number: string, { school, reference, code }: ReportOptions & { code: string }) => {
      await requireNumber(session, school, number)
      printOrder(session, await report(session, 'failOrder', { school, reference, parameter: number, body: { failure_code: code } }))
    })
}

async function requireNumber(session: Session, slug: string | undefined, number: string) {
  if (!/^\d{4}-\d{6,10}$/.test(number)) throw usage(`${number} is not an order number such as 2026-000512`)
  const school = await session.school(slug)
  const order = await findOrder((await session.database()).kysely, school.id, { number })
  if (!order) throw failure(`order ${number} does not exist: see orders list`)
  return order
}

/** Prints number, status and total of an order that an operation of the intake returned. */
export function printOrder({ terminal }: Session, { number, status, total }: Record<string, unknown>): void {
  const { amount, currency } = Object(total)
  terminal.out(`${String(number)} ${String(status)} ${amount} ${currency}\n`)
}
