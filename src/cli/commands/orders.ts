import { findOrder, type ListedOrder, listOrders } from '../../domain/orders/listOrders.ts'
import { cancelOrder, payOrder } from '../../domain/orders/orderTransitions.ts'
import { refundOrder, refundReasons } from '../../domain/orders/refundOrder.ts'
import { normaliseEmail } from '../../lib/emailAddress.ts'
import { fromPublicId, toPublicId } from '../../lib/ids.ts'
import type { NamedAuditEvent } from '../../store/auditEvents.ts'
import type { SchoolWriter } from '../../store/database.ts'
import {
  type CommandSession,
  choice,
  command,
  group,
  jsonOption,
  referenceOption,
  removalOptions,
  repeatable,
  schoolOption,
  text,
  withDefault,
} from '../command.ts'
import { failure, usage } from '../failures.ts'
import { paymentOptions, requirePaymentReference } from '../paymentOptions.ts'
import { report } from '../report.ts'
import { type Listed, moment } from '../table.ts'
import { orderLine, orderReports } from './orderReports.ts'

const statuses = ['pending', 'paid', 'partially_refunded', 'refunded', 'failed', 'canceled', 'expired'] as const

const list = command({
  name: 'list',
  summary: 'List orders, newest first.',
  examples: ['orders list', 'orders list --status pending', 'orders list --email ada@example.com --json'],
  options: {
    ...schoolOption,
    ...jsonOption,
    status: choice('status', 'only orders with this status', statuses),
    email: text('email', 'only orders of this buyer'),
    limit: withDefault(text('count', 'maximum number of orders, up to 1000'), '50'),
  },
  async run(session, { status, email: typed, limit }) {
    const email = typed === undefined ? undefined : normaliseEmail(typed)
    if (typed !== undefined && email === undefined) throw usage(`${typed} is not an e-mail address`)
    if (!/^[1-9]\d{0,2}$|^1000$/.test(limit)) throw usage('--limit must be a number from 1 to 1000')
    const school = await session.school()
    const orders = await listOrders(school.rows, { status, email, limit: Number(limit) })
    const columns = ['number', 'status', 'total', 'currency', 'buyer_email', 'placed_at']
    session.printList(orders.map(listed), { columns, empty: 'no orders' })
  },
})

const show = command({
  name: 'show <number>',
  summary: 'Show one order.',
  examples: ['orders show 2026-000512', 'orders show 2026-000512 --json'],
  options: { ...schoolOption, ...jsonOption },
  async run(session, _options, named) {
    const { order } = await requireOrder(session, named)
    session.printOne({ ...listed(order), items: order.items })
  },
})

const markPaid = command({
  name: 'mark-paid <number>',
  summary: 'Record the payment of a pending order. The buyer gets access immediately.',
  examples: ['orders mark-paid 2026-000512', 'orders mark-paid 2026-000512 --provider bank_transfer --reference "SEPA 81-2"'],
  options: { ...schoolOption, ...removalOptions, ...paymentOptions },
  async run(session, { provider, reference }, named) {
    requirePaymentReference(reference)
    await changeOrder(session, named, {
      question: ({ number, total, currency }) => `Mark ${number} (${total} ${currency}) as paid and give access to its items?`,
      event: 'operator.order_paid',
      work: async (writer, step) =>
        (await payOrder(writer, { ...step, payment: { provider, reference } })) ? 'is paid' : 'is already paid',
    })
  },
})

const cancel = command({
  name: 'cancel <number>',
  summary: 'Cancel an unpaid checkout and release its coupon.',
  examples: ['orders cancel 2026-000512', 'orders cancel 2026-000512 --yes --reference cart-81-2'],
  options: { ...schoolOption, ...referenceOption, ...removalOptions },
  run: (session, { reference }, named) =>
    changeOrder(session, named, {
      question: ({ number }) => `Cancel ${number}?`,
      report: { id: 'cancelOrder', reference, body: {} },
      event: 'operator.order_canceled',
      work: async (writer, step) => ((await cancelOrder(writer, step)) ? 'is cancelled' : 'is already cancelled'),
    }),
})

const refund = command({
  name: 'refund <number>',
  summary: `Record a refund without transferring money: of everything that is left, of an amount, or of single lines. A line that is wholly
refunded loses its access, and an order with a total of 0 releases its coupon. Scripts pass the provider's identifier of the refund as
--reference: a repeated command then records nothing.`,
  examples: [
    'orders refund 2026-000512',
    'orders refund 2026-000512 --amount 1000 --reason duplicate',
    'orders refund 2026-000512 --line oit_01jgwejj00e6srgkpqm2sqf05m',
    'orders refund 2026-000512 --line oit_01jgwejj00e6srgkpqm2sqf05m:500 --reference re_3P9 --yes',
  ],
  options: {
    ...schoolOption,
    ...referenceOption,
    ...removalOptions,
    amount: text('units', 'in the smallest unit of the currency (default: the remaining amount)'),
    line: repeatable('id[:units]', 'line of the order (see orders show), or a part of it (repeatable)'),
    reason: withDefault(choice('reason', 'reason of the refund', refundReasons), 'requested'),
  },
  async run(session, { amount: typed, line, reason, reference }, named) {
    if (typed !== undefined && line) throw usage('--amount and --line cannot be combined')
    const amount = typed === undefined ? undefined : requireUnits('--amount', typed)
    const items = line?.map(refundedLine)
    await changeOrder(session, named, {
      question: ({ number, total, refunded, currency }) =>
        `Record a refund of ${line ? line.join(', ') : `${amount ?? total - refunded} ${currency}`} for ${number}?`,
      report: { id: 'refundOrder', reference, body: { amount, items, reason } },
      event: 'operator.order_refunded',
      work: async (writer, step) => {
        const lines = items?.map((item) => ({ lineId: fromPublicId('oit', item.line), amount: item.amount }))
        const done = await refundOrder(writer, { ...step, reason, amount, items: lines })
        return `has a refund of ${done.amount}${done.isWhole ? ': the whole amount is refunded, and the access is revoked' : ''}`
      },
    })
  },
})

function requireUnits(option: string, text: string): number {
  if (/^[1-9]\d{0,10}$/.test(text)) return Number(text)
  throw usage(`${option} must be a whole number in the smallest unit of the currency`)
}

function refundedLine(text: string): { line: string; amount?: number } {
  const [line = '', units] = text.split(':')
  if (fromPublicId('oit', line) === undefined) throw usage(`--line ${text} must begin with the id of a line (oit_ and 26 characters)`)
  return { line, ...(units !== undefined && { amount: requireUnits('--line', units) }) }
}

interface OrderChange {
  question(order: ListedOrder): string
  event: NamedAuditEvent
  /** Returns the outcome for the order, as the end of a sentence. */
  work(writer: SchoolWriter, step: { schoolId: string; now: Date; orderId: string }): Promise<string>
  /** The operation of the platform intake that replaces `work` if there is a reference, so that a repetition changes nothing. */
  report?: { id: string; reference: string | undefined; body: Record<string, unknown> }
}

async function changeOrder(
  session: CommandSession,
  named: string,
  { question, event, work, report: operation }: OrderChange,
): Promise<void> {
  const { school, order } = await requireOrder(session, named)
  await session.confirm(question(order))
  if (operation?.reference !== undefined) {
    const response = await report(session, operation.id, { ...operation, parameter: order.number })
    return session.terminal.out(`${orderLine(response)}\n`)
  }
  const outcome = await school.change(async ({ writer, record }) => {
    const output = await work(writer, { schoolId: school.id, now: new Date(), orderId: order.id })
    await record({ event, details: { order: order.number } })
    return output
  })
  session.terminal.out(`${order.number} ${outcome}\n`)
}

async function requireOrder(session: CommandSession, named: string) {
  const id = fromPublicId('ord', named)
  if (id === undefined && !/^\d{4}-\d{6,10}$/.test(named))
    throw usage(`${named} is neither a number such as 2026-000512 nor an id (ord_ and 26 characters)`)
  const school = await session.school()
  const order = await findOrder(school.rows, id === undefined ? { number: named } : { id })
  if (!order) throw failure(`order ${named} does not exist: see orders list`)
  return { school, order }
}

const listed = ({ id, placed_at, paid_at, ...order }: ListedOrder): Listed => ({
  id: toPublicId('ord', id),
  ...order,
  placed_at: moment(placed_at),
  paid_at: moment(paid_at),
})

export const orders = group(
  {
    name: 'orders',
    summary: 'Manages orders. Identify an order by number or id. Amounts are in the smallest unit of the currency.',
    examples: ['orders list --status pending', 'orders mark-paid 2026-000512 --provider bank_transfer'],
  },
  [list, show, ...orderReports, markPaid, cancel, refund],
)
