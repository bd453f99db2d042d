import { portion } from '../../domain/orders/prorateAmounts.ts'
import { htmlOf } from '../../domain/richText.ts'
import { elementAt } from '../../lib/elementAt.ts'
import { addMonths, day, type Happening, hour } from '../calendar.ts'
import { coupons } from '../coupons.ts'
import { courses } from '../courses.ts'
import type { Activity } from '../generate/activity.ts'
import type { DemoSubscription } from '../generate/subscriptions.ts'
import { plans, prices } from '../plans.ts'
import { products } from '../products.ts'
import { schoolRow } from '../school.ts'
import { type Context, dateOf } from './context.ts'

export function membershipRows(context: Context, { subscriptions }: Activity) {
  const { now, id, base } = context
  const made = (number: number): Happening => ({ at: now - (398 - number) * day, number })
  return {
    plans: plans.map(({ prices: _prices, courses: _courses, products: _products, benefits, ...plan }, number) => ({
      ...base('membership_plan', made(number)),
      ...plan,
      benefits: [...benefits],
      description_html: htmlOf(plan.description, 'markdown'),
      subscribers_count: subscriptions.filter(({ planNumber, status }) => planNumber === number && status !== 'canceled').length,
      position: number,
    })),
    prices: prices.map(({ planNumber, plan: _plan, ...price }, number) => ({
      ...base('plan_price', { at: made(planNumber).at, number }),
      ...price,
      plan_id: id('membership_plan', planNumber),
      currency: schoolRow.currency,
    })),
    items: plans.flatMap((plan, number) => [
      ...plan.courses.map((slug) => itemOf(context, number, 'course', courses, slug)),
      ...plan.products.map((slug) => itemOf(context, number, 'digital_product', products, slug)),
    ]),
    subscriptions: subscriptions.map((subscription) => subscriptionRow(context, subscription)),
  }
}

const itemOf = ({ schoolId, id }: Context, plan: number, product_type: string, list: readonly { slug: string }[], slug: string) => ({
  school_id: schoolId,
  plan_id: id('membership_plan', plan),
  product_type,
  product_id: id(
    product_type,
    list.findIndex((one) => one.slug === slug),
  ),
})

function subscriptionRow({ id, base, personId }: Context, subscription: DemoSubscription) {
  const { at, bills, isLastBillOpen, period, canceledAt, endedAt, pausedAt, trialEndsAt, endsWithPeriod, pendingPriceNumber } = subscription
  const coupon = coupons.find(({ code }) => code === subscription.coupon)
  const bps = coupon?.discount.type === 'percent' ? coupon.discount.bps : 0
  const lastPaid = isLastBillOpen ? bills.at(-2) : bills.at(-1)
  return {
    ...base(
      'subscription',
      subscription,
      Math.max(at, lastPaid ?? at, endedAt ?? 0, pausedAt ?? 0, isLastBillOpen ? elementAt(bills, -1) : 0),
    ),
    person_id: personId(subscription.learner),
    plan_id: id('membership_plan', subscription.planNumber),
    price_id: id('plan_price', subscription.priceNumber),
    status: subscription.status,
    collection: subscription.collection,
    amount: subscription.collection === 'comped' ? 0 : subscription.price - portion(subscription.price, bps, 10_000),
    currency: schoolRow.currency,
    coupon_id: coupon ? id('coupon', coupons.indexOf(coupon)) : null,
    discount_ends_at: coupon?.duration_months ? new Date(addMonths(bills[0] ?? at, coupon.duration_months)) : null,
    started_at: new Date(at),
    current_period_start: dateOf(period?.[0]),
    current_period_end: dateOf(period?.[1]),
    trial_ends_at: dateOf(trialEndsAt),
    // Periods count from the start of the first paid one.
    period_anchor: period && new Date(trialEndsAt ?? bills[0] ?? at),
    past_due_since: subscription.status === 'past_due' ? dateOf(bills.at(-1)) : null,
    cancel_at_period_end: endsWithPeriod,
    cancel_at: endsWithPeriod ? dateOf(period?.[1]) : dateOf(endedAt),
    canceled_at: endsWithPeriod ? dateOf(period && period[0] + hour) : dateOf(canceledAt),
    ended_at: dateOf(endedAt),
    cancellation_reason: endsWithPeriod ? 'not_using' : subscription.reason,
    cancellation_comment: subscription.comment,
    paused_at: dateOf(pausedAt),
    resumes_at: dateOf(subscription.resumesAt),
    pending_price_id: pendingPriceNumber === null ? null : id('plan_price', pendingPriceNumber),
    pending_effective_at: pendingPriceNumber === null ? null : dateOf(period?.[1]),
  }
}
