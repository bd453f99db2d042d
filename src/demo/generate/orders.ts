import { portion } from '../../domain/orders/prorateAmounts.ts'
import { elementAt } from '../../lib/elementAt.ts'
import { day, type Happening, hour, inOrder, quietMs } from '../calendar.ts'
import { batch, batchCode, coupons } from '../coupons.ts'
import { courses } from '../courses.ts'
import { plans } from '../plans.ts'
import { products } from '../products.ts'
import type { SeededRandom } from '../seededRandom.ts'
import { couponUse, type DemoOrderStatus } from './couponUse.ts'
import type { Learner } from './people.ts'
import { archivedAt, publishedAt } from './published.ts'
import type { DemoSubscription } from './subscriptions.ts'

/** A line of an order. Amounts are in cents and include the tax. */
export interface DemoLine {
  type: 'course' | 'digital_product' | 'membership_plan'
  /** Index in the list of its type. */
  product: number
  priceNumber: number | null
  title: string
  unit: number
  discount: number
  tax: number
  total: number
  refunded: number
}

export interface DemoRefund extends Happening {
  order: DemoOrder
  amount: number
  reason: 'requested' | 'duplicate' | 'other'
}

export interface DemoOrder extends Happening {
  learner: Learner
  kind: 'one_time' | 'subscription_initial' | 'subscription_renewal' | 'zero_total'
  status: DemoOrderStatus
  lines: DemoLine[]
  subscription: DemoSubscription | null
  /** Index of the coupon. Coupons of the batch follow the others. */
  coupon: number | null
  /** False for a renewal: the first order counted the use of the coupon. */
  isNewUse: boolean
  provider: 'card' | 'wallet' | 'bank_transfer' | 'none'
  failureCode: string | null
  refunds: DemoRefund[]
}

const ordersCount = 520
const zeroTotals = 14
const unfinished = [
  ...Array.from({ length: 5 }, () => 'pending' as const),
  ...Array.from({ length: 8 }, () => 'failed' as const),
  ...Array.from({ length: 7 }, () => 'canceled' as const),
  ...Array.from({ length: 9 }, () => 'expired' as const),
]

export const couponCodes: readonly string[] = [
  ...coupons.map(({ code }) => code),
  ...Array.from({ length: batch.count }, (_, index) => batchCode(index)),
]

const taxRateBps = 1900

function lineOf(line: Pick<DemoLine, 'type' | 'product' | 'title' | 'unit'> & { priceNumber?: number }, discount: number): DemoLine {
  const total = line.unit - discount
  return { priceNumber: null, ...line, discount, total, tax: portion(total, taxRateBps, 10_000 + taxRateBps), refunded: 0 }
}

interface Activity {
  random: SeededRandom
  now: number
  learners: readonly Learner[]
  subscriptions: readonly DemoSubscription[]
}

/** Generates 520 orders of the last year: of subscriptions and of single items, free, unpaid and refunded ones among them. */
export function generateOrders({ random, now, learners, subscriptions }: Activity): DemoOrder[] {
  const billed = subscriptions.flatMap((subscription) => billsOf(subscription, random))
  const given = gifts(random, now, learners)
  const count = ordersCount - billed.length - given.length
  const shop = createShop(random, now, learners, given)
  const bought = shop(count)
  const all = inOrder([...billed, ...given, ...bought])
  payBack(all, random, now)
  return all
}

function billsOf(subscription: DemoSubscription, random: SeededRandom): DemoOrder[] {
  const { learner, planNumber, priceNumber, price, bills, isLastBillOpen } = subscription
  const provider = random.pick(['card', 'card', 'wallet'] as const)
  return bills.map((at, index): DemoOrder => {
    const isOpen = isLastBillOpen && index === bills.length - 1
    const coupon = coupons.find(({ code }) => code === subscription.coupon)
    const line = {
      type: 'membership_plan' as const,
      product: planNumber,
      title: elementAt(plans, planNumber).name,
      unit: price,
      priceNumber,
    }
    return {
      at,
      number: 0,
      learner,
      kind: index === 0 ? 'subscription_initial' : 'subscription_renewal',
      status: isOpen ? 'failed' : 'paid',
      lines: [lineOf(line, coupon?.discount.type === 'percent' ? portion(price, coupon.discount.bps, 10_000) : 0)],
      subscription,
      coupon: coupon ? coupons.indexOf(coupon) : null,
      isNewUse: index === 0,
      provider,
      failureCode: isOpen ? 'insufficient_funds' : null,
      refunds: [],
    }
  })
}

const students = (learners: readonly Learner[]): Learner[] => learners.filter(({ is_student, isInvited }) => is_student && !isInvited)

function gifts(random: SeededRandom, now: number, learners: readonly Learner[]): DemoOrder[] {
  const coupon = coupons.findIndex(({ code }) => code === 'FREECLAY')
  const clay = courses.findIndex(({ slug }) => slug === 'clay-from-scratch')
  const taken = new Set<Learner>()
  return Array.from({ length: zeroTotals }, (_, index) => {
    const at = secondsOf(now - (350 - index * 24) * day + random.between(6, 18) * hour)
    const learner = random.pick(
      students(learners)
        .filter((one) => one.at < at - hour && !taken.has(one) && one.index > 0)
        .slice(-50),
    )
    taken.add(learner)
    const { title, price_amount } = elementAt(courses, clay)
    const unit = price_amount as number
    const lines = [lineOf({ type: 'course', product: clay, title, unit }, unit)]
    return { ...plainOrder(at, learner), kind: 'zero_total', lines, coupon, isNewUse: true, provider: 'none' }
  })
}

const plainOrder = (at: number, learner: Learner): DemoOrder => ({
  at,
  number: 0,
  learner,
  kind: 'one_time',
  status: 'paid',
  lines: [],
  subscription: null,
  coupon: null,
  isNewUse: true,
  provider: 'card',
  failureCode: null,
  refunds: [],
})

const secondsOf = (time: number): number => Math.round(time / 1000) * 1000

/** Generates the one-time purchases. No learner buys the same item twice. */
function createShop(random: SeededRandom, now: number, learners: readonly Learner[], given: readonly DemoOrder[]) {
  const buyers = students(learners)
  const owned = new Set(given.flatMap(({ learner, lines }) => lines.map((line) => `${learner.index} ${line.type} ${line.product}`)))
  const buys = new Map<Learner, number>()
  const codes = couponUse(random, now)

  const offersAt = (at: number, type: 'course' | 'digital_product') =>
    type === 'course'
      ? courses.flatMap(({ title, price_amount, status }, product) =>
          price_amount !== null && status !== 'draft' && publishedAt(now, product) < at && !(status === 'archived' && at > archivedAt(now))
            ? [{ type, product, title, unit: price_amount }]
            : [],
        )
      : products.flatMap(({ title, price_amount, status }, product) =>
          price_amount !== null && status === 'published' ? [{ type, product, title, unit: price_amount }] : [],
        )

  function basket(at: number, learner: Learner): Omit<DemoLine, 'discount' | 'tax' | 'total' | 'refunded' | 'priceNumber'>[] {
    const isFree = ({ type, product }: { type: string; product: number }): boolean => !owned.has(`${learner.index} ${type} ${product}`)
    const forSale = random.shuffled(offersAt(at, 'course').filter(isFree))
    const beside = random.shuffled(offersAt(at, 'digital_product').filter(isFree))
    const wanted = random.chance(0.1) ? 0 : random.chance(0.42) ? 2 : 1
    const chosen = [...forSale.slice(0, wanted), ...beside.slice(0, wanted === 0 || random.chance(0.22) ? 1 : 0)]
    return chosen
  }

  return (count: number): DemoOrder[] => {
    // The number grows from month to month. In order of time, so that coupons for first purchases are valid.
    const times = Array.from({ length: count }, () => secondsOf(now - quietMs - (1 - random.between(0, 1) ** 0.75) * 362 * day)).toSorted(
      (one, other) => one - other,
    )
    const states = random.shuffled([...unfinished, ...Array.from({ length: count - unfinished.length }, () => 'paid' as const)])
    // Pending bank transfers began in the last days.
    const lastPending = states.map((state) => state === 'pending')
    const rest = states.filter((state) => state !== 'pending')
    const pendingCount = lastPending.filter(Boolean).length
    return times.map((at, index) => {
      const status = index >= count - pendingCount ? 'pending' : elementAt(rest, index)
      for (;;) {
        const learner = index === 12 ? elementAt(buyers, 0) : random.pick(buyers.filter((one) => one.at < at - hour))
        const chosen = basket(at, learner)
        if (chosen.length === 0) continue
        const isFirst = !buys.has(learner)
        const { coupon, discounts } = codes(at, learner, chosen, { isFirst, status })
        if (status === 'paid') {
          buys.set(learner, (buys.get(learner) ?? 0) + 1)
          for (const { type, product } of chosen) owned.add(`${learner.index} ${type} ${product}`)
        }
        return {
          ...plainOrder(at, learner),
          status,
          lines: chosen.map((line, place) => lineOf(line, discounts[place] ?? 0)),
          coupon,
          provider: status === 'pending' ? 'bank_transfer' : random.pick(['card', 'card', 'card', 'wallet', 'bank_transfer'] as const),
          failureCode: status === 'failed' ? random.pick(['card_declined', 'insufficient_funds']) : null,
        }
      }
    })
  }
}

/** Refunds six orders in full and six in part. */
function payBack(orders: readonly DemoOrder[], random: SeededRandom, now: number): void {
  const oneByOne = random.shuffled(
    orders.filter(
      ({ kind, status, lines, at, learner }) =>
        kind === 'one_time' && status === 'paid' && learner.index > 0 && at < now - 20 * day && lines.some(({ total }) => total > 2000),
    ),
  )
  for (const [index, order] of oneByOne.slice(0, 12).entries()) {
    const isWhole = index < 6
    for (const line of isWhole ? order.lines : order.lines.slice(0, 1)) {
      line.refunded = isWhole ? line.total : portion(line.total, 4000, 10_000)
    }
    order.status = isWhole ? 'refunded' : 'partially_refunded'
    order.refunds.push({
      order,
      at: order.at + Math.round(random.between(2, 12) * 24) * hour,
      number: 0,
      amount: order.lines.reduce((sum, { refunded }) => sum + refunded, 0),
      reason: isWhole ? (index === 4 ? 'duplicate' : 'requested') : 'other',
    })
  }
}

export function sumOf(order: DemoOrder, of: (line: DemoLine) => number): number {
  return order.lines.reduce((sum, line) => sum + of(line), 0)
}

/** True if the order was paid, even if it was refunded later. */
export const isPaid = ({ status }: DemoOrder): boolean => status === 'paid' || status === 'partially_refunded' || status === 'refunded'
