import { type Command, Option } from 'commander'
import { findOrder, type ListedOrder, listOrders } from '../../domain/orders/listOrders.ts'
import { cancelOrder, payOrder } from '../../domain/orders/orderTransitions.ts'
import { paymentProviders } from '../../domain/orders/payment.ts'
import { refundOrder, refundReasons } from '../../domain/orders/refundOrder.ts'
import { normaliseEmail } from '../../lib/emailAddress.ts'
import { fromPublicId, toPublicId } from '../../lib/ids.ts'
import type { NamedAuditEvent } from '../../store/auditEvents.ts'
import { confirm, requireAnswer } from '../confirm.ts'
import { asJson, define, type JsonOption, type SchoolOption, withSchoolOption, withYesOption, type YesOption } from '../define.ts'
import { failure, usage } from '../failures.ts'
import { report, withReference } from '../report.ts'
import type { Change, Session } from '../session.ts'
import { type Listed, moment, printList, printOne } from '../table.ts'
import { addCreateOrder, addFailOrder, addPayOrder, printOrder } from './orderReports.ts'

const statuses = ['pending', 'paid', 'partially_refunded', 'refunded', 'failed', 'canceled', 'expired'] as const

/** `orders list`, `show`, `create`, `pay`, `fail`, `mark-paid`, `cancel` and `refund`. */
export function addOrders(program: Command, session: Session): void {
  const group = define(program, {
    form: 'orders',
    about: 'Manages orders. Identify an order by number or id. Amounts are in the smallest unit of the currency.',
    examples: ['orders list --status pending', 'orders mark-paid 2026-000512 --provider bank_transfer'],
  })
  addList(group, session)
  addShow(group, session)
  addCreateOrder(group, session)
  addPayOrder(group, session)
  addFailOrder(group, session)
  addMarkPaid(group, session)
  addCancel(group, session)
  addRefund(group, session)
}

interface ListOptions extends SchoolOption, JsonOption {
  status?: string
  email?: string
  limit: string
}

function addList(group: Command, session: Session): void {
  const list = define(group, {
    form: 'list',
    about: 'List orders, newest first.',
    examples: ['orders list', 'orders list --status pending', 'orders list --email ada@example.com --json'],
  })
  asJson(withSchoolOption(list))
    .addOption(new Option('--status <status>', 'only orders with this status').choices(statuses))
    .option('--email <email>', 'only orders of this buyer')
    .option('--limit <count>', 'maximum number of orders, up to 1000', '50')
    .action(async ({ school: slug, json, status, email: typed, limit }: ListOptions) => {
      const email = typed === undefined ? undefined : normaliseEmail(typed)
      if (typed !== undefined && email === undefined) throw usage(`${typed} is not an e-mail address`)
      if (!/^[1-9]\d{0,2}$|^1000$/.test(limit)) throw usage('--limit must be a number from 1 to 1000')
      const school = await session.school(slug)
      const orders = await listOrders((await session.database()).kysely, school.id, { status, email, limit: Number(limit) })
      const columns = ['number', 'status', 'total', 'currency', 'buyer_email', 'placed_at']
      printList(session.terminal, orders.map(listed), { json, columns, empty: 'no orders' })
    })
}

function addShow(group: Command, session: Session): void {
  const show = define(group, {
    form: 'show <number>',
    about: 'Show one order.',
    examples: ['orders show 2026-000512', 'orders show 2026-000512 --json'],
  })
  asJson(withSchoolOption(show)).action(async (named: string, { school: slug, json }: SchoolOption & JsonOption) => {
    const { order } = await requireOrder(session, slug, named)
    printOne(session.terminal, { ...listed(order), items: order.items }, { json })
  })
}

interface PaidOptions extends SchoolOption, YesOption {
  provider: (typeof paymentProviders)[number]
  reference?: string
}

function addMarkPaid(group: Command, session: Session): void {
  const paid = define(group, {
    form: 'mark-paid <number>',
    about: 'Record the payment of a pending order. The buyer gets access immediately.',
    examples: ['orders mark-paid 2026-000512', 'orders mark-paid 2026-000512 --provider bank_transfer --reference "SEPA 81-2"'],
  })
  withYesOption(withSchoolOption(paid))
    .addOption(new Option('--provider <provider>', 'payment provider').choices(paymentProviders).default('manual'))
    .option('--reference <text>', 'payment reference of the provider; unique per order')
    .action(async (named: string, { provider, reference, ...options }: PaidOptions) => {
      if (reference !== undefined && (reference.trim() === '' || reference.length > 200))
        throw usage('--reference must have 1 to 200 characters')
      await changeOrder(session, named, {
        ...options,
        question: ({ number, total, currency }) => `Mark ${number} (${total} ${currency}) as paid and give access to its items?`,
        event: 'operator.order_paid',
        work: async ({ writer }, step) =>
          (await payOrder(writer, { ...step, payment: { provider, reference } })) ? 'is paid' : 'is already paid',
      })
    })
}

function addCancel(group: Command, session: Session): void {
  const cancel = define(group, {
    form: 'cancel <number>',
    about: 'Cancel an unpaid checkout and release its coupon.',
    examples: ['orders cancel 2026-000512', 'orders cancel 2026-000512 --yes --reference cart-81-2'],
  })
  withYesOption(withReference(cancel)).action((named: string, { reference, ...options }: SchoolOption & YesOption & Reference) => {
    const question = ({ number }: ListedOrder): string => `Cancel ${number}?`
    if (reference !== undefined) return reportOrder(session, named, { ...options, question, id: 'cancelOrder', reference, body: {} })
    return changeOrder(session, named, {
      ...options,
      question,
      event: 'operator.order_canceled',
      work: async ({ writer }, step) => ((await cancelOrder(writer, step)) ? 'is cancelled' : 'is already cancelled'),
    })
  })
}

interface Reference {
  reference?: string
}

interface RefundOptions extends SchoolOption, YesOption, Reference {
  amount?: string
  line?: readonly string[]
  reason: (typeof refundReasons)[number]
}

function addRefund(group: Command, session: Session): void {
  const refund = define(group, {
    form: 'refund <number>',
    about: `Record a refund without transferring money: of everything that is left, of an amount, or of single lines. A line that is wholly
refunded loses its access, and an order with a total of 0 releases its coupon. Scripts pass the provider's identifier of the refund as
--reference: a repeated command then records nothing.`,
    examples: [
      'orders refund 2026-000512',
      'orders refund 2026-000512 --amount 1000 --reason duplicate',
      'orders refund 2026-000512 --line oit_01jgwejj00e6srgkpqm2sqf05m',
      'orders refund 2026-000512 --line oit_01jgwejj00e6srgkpqm2sqf05m:500 --reference re_3P9 --yes',
    ],
  })
  withYesOption(withReference(refund))
    .option('--amount <units>', 'in the smallest unit of the currency (default: the remaining amount)')
    .addOption(
      new Option('--line <id[:units]>', 'line of the order (see orders show), or a part of it (repeatable)').argParser(
        (value: string, before: string[] | undefined) => [...(before ?? []), value],
      ),
    )
    .addOption(new Option('--reason <reason>', 'reason of the refund').choices(refundReasons).default('requested'))
    .action(async (named: string, { amount: typed, line, reason, reference, ...options }: RefundOptions) => {
      if (typed !== undefined && line) throw usage('--amount and --line cannot be combined')
      const amount = typed === undefined ? undefined : requireUnits('--amount', typed)
      const items = line?.map(refundedLine)
      const question = ({ number, total, refunded, currency }: ListedOrder): string =>
        `Record a refund of ${line ? line.join(', ') : `${amount ?? total - refunded} ${currency}`} for ${number}?`
      const body = { amount, items, reason }
      if (reference !== undefined) return await reportOrder(session, named, { ...options, question, id: 'refundOrder', reference, body })
      return await changeOrder(session, named, {
        ...options,
        question,
        event: 'operator.order_refunded',
        work: async ({ writer }, step) => {
          const lines = items?.map((item) => ({ lineId: fromPublicId('oit', item.line), amount: item.amount }))
          const done = await refundOrder(writer, { ...step, reason, amount, items: lines })
          return `has a refund of ${done.amount}${done.isWhole ? ': the whole amount is refunded, and the access is revoked' : ''}`
        },
      })
    })
}

function requireUnits(option: string, text: string): number {
  if (/^[1-9]\d{0,10}$/.test(text)) return Number(text)
  throw usage(`${option} must be a whole number in the smallest unit of the currency`)
}

function refundedLine(text: string): { line: string; amount?: number } {
  const [line = '', units] = text.split(':')
  if (fromPublicId('oit', line) === undefined) throw usage(`--line ${text} must begin with the id of a line (oit_ and 26 characters)`)
  return { line, ...(units !== undefined && { amount: requireUnits('--line', units) }) }
}

interface OrderChange extends SchoolOption, YesOption {
  question(order: ListedOrder): string
  event: NamedAuditEvent
  /** Returns the outcome for the order, as the end of a sentence. */
  work(change: Change, step: { schoolId: string; now: Date; orderId: string }): Promise<string>
}

async function changeOrder(session: Session, named: string, { school: slug, yes, question, event, work }: OrderChange): Promise<void> {
  requireAnswer(session.terminal, { yes })
  const { school, order } = await requireOrder(session, slug, named)
  await confirm(session.terminal, question(order), { yes })
  const outcome = await session.change(async (change) => {
    const said = await work(change, { schoolId: school.id, now: new Date(), orderId: order.id })
    await change.record({ school_id: school.id, event, details: { order: order.number } })
    return said
  })
  session.terminal.out(`${order.number} ${outcome}\n`)
}

interface OrderReport extends SchoolOption, YesOption {
  question(order: ListedOrder): string
  /** The operation of the platform intake. */
  id: string
  reference: string
  body: Record<string, unknown>
}

/** Changes an order once for each reference, as the platform intake does. */
async function reportOrder(session: Session, named: string, { school, yes, question, ...given }: OrderReport): Promise<void> {
  const { id, reference, body } = given
  requireAnswer(session.terminal, { yes })
  const { order } = await requireOrder(session, school, named)
  await confirm(session.terminal, question(order), { yes })
  printOrder(session, await report(session, id, { school, reference, parameter: order.number, body }))
}

async function requireOrder(session: Session, slug: string | undefined, named: string) {
  const id = fromPublicId('ord', named)
  if (id === undefined && !/^\d{4}-\d{6,10}$/.test(named))
    throw usage(`${named} is neither a number such as 2026-000512 nor an id (ord_ and 26 characters)`)
  const school = await session.school(slug)
  const order = await findOrder((await session.database()).kysely, school.id, id === undefined ? { number: named } : { id })
  if (!order) throw failure(`order ${named} does not exist: see orders list`)
  return { school, order }
}

const listed = ({ id, placed_at, paid_at, ...order }: ListedOrder): Listed => ({
  id: toPublicId('ord', id),
  ...order,
  placed_at: moment(placed_at),
  paid_at: moment(paid_at),
})
