import { cyclicElement, elementAt } from '../../lib/elementAt.ts'
import { addMonths, day, type Happening, hour, inOrder } from '../calendar.ts'
import { plans, priceNumber, prices } from '../plans.ts'
import type { SeededRandom } from '../seededRandom.ts'
import type { Learner } from './people.ts'

/** A subscription of a learner. */
export interface DemoSubscription extends Happening {
  learner: Learner
  plan: string
  planNumber: number
  priceNumber: number
  status: 'trialing' | 'active' | 'past_due' | 'paused' | 'canceled'
  collection: 'automatic' | 'comped'
  /** The price of a period without a coupon, in cents. */
  price: number
  coupon: 'FRIENDS15' | 'BENCH3' | null
  trialEndsAt: number | null
  /** The starts of paid and overdue periods, oldest first. Empty for a subscription without payments. */
  bills: readonly number[]
  isLastBillOpen: boolean
  /** Null: no end. */
  period: readonly [start: number, end: number] | null
  endsWithPeriod: boolean
  canceledAt: number | null
  endedAt: number | null
  reason: string | null
  comment: string | null
  pausedAt: number | null
  resumesAt: number | null
  pendingPriceNumber: number | null
}

interface Sketch {
  plan: string
  interval: 'month' | 'year' | 'one_time'
  status: DemoSubscription['status']
  /** Number of periods before the current one, or before the end. */
  periods: number
  /** Days since the start of the current period, or since the end. */
  days: number
  more?: Partial<DemoSubscription>
}

const reasons = [
  ['too_expensive', 'It was worth it. I am saving for a wheel.'],
  ['not_using', 'Two evenings in three months is not enough.'],
  ['missing_content', 'I had hoped for weaving.'],
  ['switching', 'I buy single courses now.'],
  ['other', 'Moving to the coast. Thank you for everything.'],
  ['not_using', null],
  ['too_expensive', null],
] as const

const trialDays = 14

/** Generates 168 subscriptions: 112 active, 14 in trial, 6 past due, 3 paused and 33 ended. */
export function generateSubscriptions(random: SeededRandom, now: number, learners: readonly Learner[]): DemoSubscription[] {
  const ordered = inOrder(sketches(random).map((sketch) => drawn(sketch, random, now)))
  const [first, ...others] = learners.filter(({ is_member, memberStatus }) => is_member && memberStatus === 'active')
  const free = new Set(others)
  // The first learner, whose login people try, has a subscription.
  const ofFirst = ordered.find(({ plan, status, bills }) => plan === 'workbench' && status === 'active' && bills.length > longest)
  for (const one of ordered) one.learner = one === ofFirst ? (first as Learner) : holderOf(one, free, random)
  return ordered
}

const longest = 6

/** Chooses the subscriber: a person who joined before, usually shortly before. Each person has one subscription at most. */
function holderOf(subscription: DemoSubscription, free: Set<Learner>, random: SeededRandom): DemoSubscription['learner'] {
  const before = [...free].filter(({ at }) => at < subscription.at - hour)
  const candidates = before.slice(-45)
  // Plans include courses, so subscribers are students.
  const students = candidates.filter(({ is_student }) => is_student)
  const chosen = random.pick(students.length > 3 && subscription.price > 0 ? students : candidates)
  free.delete(chosen)
  return chosen
}

function sketches(random: SeededRandom): Sketch[] {
  const some = (count: number, sketch: (index: number) => Sketch): Sketch[] => Array.from({ length: count }, (_, index) => sketch(index))
  const ofMonths = [0, 1, 1, 2, 2, 3, 4, 5] as const
  const days = (): number => 2 + random.below(22)
  return [
    ...some(34, (index) => ({ plan: 'window-seat', interval: 'one_time', status: 'active', periods: 0, days: 4 + index * 10 })),
    ...some(30, (index) => ({
      plan: 'workbench',
      interval: 'month',
      status: 'active',
      periods: index === 0 ? longest : index % 10 === 2 ? 1 : random.pick(ofMonths),
      days: days(),
      more: {
        endsWithPeriod: index % 10 === 9,
        coupon: index % 10 === 4 ? 'FRIENDS15' : index > 10 && index % 10 === 2 ? 'BENCH3' : null,
        ...(index % 15 === 7 && { pendingPriceNumber: priceNumber('workbench', 'year') }),
      },
    })),
    ...some(16, (index) => ({
      plan: 'workbench',
      interval: 'year',
      status: 'active',
      periods: index < 2 ? 1 : 0,
      days: index < 2 ? 3 + index : 10 + index * 20,
      more: { endsWithPeriod: index === 9 },
    })),
    ...some(14, (index) => ({
      plan: 'whole-studio',
      interval: 'month',
      status: 'active',
      periods: random.pick(ofMonths),
      days: days(),
      more: { endsWithPeriod: index === 5, coupon: index === 3 ? 'FRIENDS15' : null },
    })),
    ...some(8, (index) => ({ plan: 'whole-studio', interval: 'year', status: 'active', periods: 0, days: 12 + index * 40 })),
    ...some(6, (index) => ({ plan: 'founders', interval: 'year', status: 'active', periods: 0, days: 300 + index * 8 })),
    ...some(4, (index) => ({
      plan: 'whole-studio',
      interval: 'month',
      status: 'active',
      periods: 0,
      days: 20 + index * 50,
      more: { collection: 'comped' },
    })),
    ...some(14, (index) => ({
      plan: 'workbench',
      interval: index % 4 === 3 ? 'year' : 'month',
      status: 'trialing',
      periods: 0,
      days: 2 + (index % 11),
    })),
    ...some(6, (index) => ({
      plan: index < 4 ? 'workbench' : 'whole-studio',
      interval: 'month',
      status: 'past_due',
      periods: 1 + (index % 3),
      days: elementAt([2, 3, 5, 9, 4, 12], index),
    })),
    ...some(3, (index) => ({
      plan: index < 2 ? 'workbench' : 'whole-studio',
      interval: 'month',
      status: 'paused',
      periods: 2 + index,
      days: 12 + index,
    })),
    ...some(33, (index) => canceled(index, random)),
  ]
}

function canceled(index: number, random: SeededRandom): Sketch {
  const [reason, comment] = cyclicElement(reasons, index)
  const isInTrial = index % 8 === 6
  const isUnpaid = index % 11 === 10
  return {
    plan: index % 4 === 3 && !isInTrial ? 'whole-studio' : 'workbench',
    interval: 'month',
    status: 'canceled',
    periods: isInTrial ? 0 : 1 + random.below(4),
    days: 5 + index * 8,
    more: { reason: isUnpaid ? 'payment_failed' : reason, comment: isUnpaid ? null : comment, isLastBillOpen: isUnpaid && !isInTrial },
  }
}

function drawn({ plan, interval, status, periods, days, more = {} }: Sketch, random: SeededRandom, now: number): DemoSubscription {
  const number = priceNumber(plan, interval)
  const { amount, trial_days } = elementAt(prices, number)
  const months = interval === 'year' ? 12 : 1
  // At a random second of the day.
  const moment = Math.round((now - days * day - random.between(1, 20) * hour) / 1000) * 1000
  const subscription: DemoSubscription = {
    at: moment,
    number: 0,
    learner: undefined as unknown as Learner,
    plan,
    planNumber: plans.findIndex(({ slug }) => slug === plan),
    priceNumber: number,
    status,
    collection: 'automatic',
    price: amount,
    coupon: null,
    trialEndsAt: null,
    bills: [],
    isLastBillOpen: status === 'past_due',
    period: null,
    endsWithPeriod: false,
    canceledAt: null,
    endedAt: null,
    reason: null,
    comment: null,
    pausedAt: null,
    resumesAt: null,
    pendingPriceNumber: null,
    ...more,
  }
  if (interval === 'one_time') return subscription
  if (subscription.collection === 'comped') return { ...subscription, period: periodAround(moment, now) }
  if (status === 'trialing') {
    const end = moment + trialDays * day
    return { ...subscription, trialEndsAt: end, period: [moment, end] }
  }
  if (status === 'canceled' && periods === 0) {
    const start = moment - 6 * day
    return {
      ...subscription,
      at: start,
      trialEndsAt: start + trialDays * day,
      period: [start, start + trialDays * day],
      ...over(moment, moment),
    }
  }
  const isOver = status === 'canceled'
  // Unpaid subscriptions end after two weeks.
  const end = isOver ? moment - (subscription.isLastBillOpen ? trialDays * day : 0) : 0
  const first = addMonths(isOver ? end : moment, -periods * months)
  const billedPeriods = periods + (isOver && !subscription.isLastBillOpen ? 0 : 1)
  const billed = Array.from({ length: billedPeriods }, (_, index) => addMonths(first, index * months))
  const last = elementAt(billed, -1)
  const next = addMonths(first, billedPeriods * months)
  return {
    ...subscription,
    at: trial_days > 0 ? first - trial_days * day : first,
    trialEndsAt: trial_days > 0 ? first : null,
    bills: billed,
    // A period that is not paid has not started.
    period: subscription.isLastBillOpen ? [elementAt(billed, -2), last] : [last, next],
    ...(isOver && (subscription.isLastBillOpen ? over(moment, moment) : over(Math.max(last + hour, next - 9 * day), next))),
    ...(status === 'paused' && { pausedAt: moment + 4 * day, resumesAt: days % 2 === 0 ? null : now + 20 * day }),
  }
}

function periodAround(start: number, now: number): [number, number] {
  let count = 0
  while (addMonths(start, count + 1) <= now) count += 1
  return [addMonths(start, count), addMonths(start, count + 1)]
}

const over = (canceledAt: number, endedAt: number) => ({ canceledAt, endedAt })
