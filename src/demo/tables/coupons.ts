import { day } from '../calendar.ts'
import { batch, coupons } from '../coupons.ts'
import { courses } from '../courses.ts'
import type { Activity } from '../generate/activity.ts'
import { couponCodes, type DemoOrder, sumOf } from '../generate/orders.ts'
import { plans } from '../plans.ts'
import { schoolRow } from '../school.ts'
import { type Context, dateOf } from './context.ts'

export function couponRows(context: Context, { orders }: Activity) {
  const { schoolId, now, id, base, personId } = context
  const uses = orders.filter(({ coupon, isNewUse }) => coupon !== null && isNewUse)
  const ago = (days: number | null): Date | null => dateOf(days === null ? null : now - days * day)
  const count = (number: number): number => uses.filter((order) => order.coupon === number && stateOf(order) !== 'released').length
  const ofBatch = couponCodes.slice(coupons.length).map((code, index) => {
    const number = coupons.length + index
    return {
      ...base('coupon', { at: now - batch.made_days_ago * day, number }),
      code,
      name: batch.name,
      ...discountOf(batch.discount),
      duration: 'once',
      duration_months: null,
      applies_to_all: true,
      first_purchase_only: false,
      max_redemptions: 1,
      redemptions_count: count(number),
      starts_at: null,
      ends_at: ago(batch.ended_days_ago),
      paused_at: null,
      archived_at: null,
      batch_id: id('coupon_batch', 0),
      note: null,
    }
  })
  return {
    coupons: [
      ...coupons.map((coupon, number) => ({
        ...base(
          'coupon',
          { at: now - coupon.made_days_ago * day, number },
          coupon.paused_days_ago === null ? null : now - coupon.paused_days_ago * day,
        ),
        code: coupon.code,
        name: coupon.name,
        ...discountOf(coupon.discount),
        duration: coupon.duration,
        duration_months: coupon.duration_months,
        applies_to_all: coupon.courses.length + coupon.plans.length === 0,
        first_purchase_only: coupon.first_purchase_only,
        max_redemptions: coupon.max_redemptions,
        redemptions_count: count(number),
        starts_at: ago(coupon.started_days_ago),
        ends_at: ago(coupon.ended_days_ago),
        paused_at: ago(coupon.paused_days_ago),
        archived_at: ago(coupon.archived_days_ago),
        batch_id: null,
        note: coupon.note,
      })),
      ...ofBatch,
    ],
    items: coupons.flatMap((coupon, number) => {
      const item = (product_type: string, product: number) => ({
        school_id: schoolId,
        coupon_id: id('coupon', number),
        product_type,
        product_id: id(product_type, product),
      })
      return [
        ...coupon.courses.map((slug) =>
          item(
            'course',
            courses.findIndex((course) => course.slug === slug),
          ),
        ),
        ...coupon.plans.map((slug) =>
          item(
            'membership_plan',
            plans.findIndex((plan) => plan.slug === slug),
          ),
        ),
      ]
    }),
    redemptions: uses.map((order, number) => {
      const line = order.lines.find(({ discount }) => discount > 0) ?? order.lines[0]
      return {
        ...base('coupon_redemption', { at: order.at, number }),
        coupon_id: id('coupon', order.coupon as number),
        person_id: personId(order.learner),
        person_seq: 1,
        order_id: id('order', order.number),
        product_type: line?.type,
        product_id: line && id(line.type, line.product),
        amount_off: sumOf(order, ({ discount }) => discount),
        currency: schoolRow.currency,
        status: stateOf(order),
      }
    }),
  }
}

function stateOf({ status }: DemoOrder): 'reserved' | 'confirmed' | 'released' {
  if (status === 'pending') return 'reserved'
  return status === 'failed' || status === 'canceled' || status === 'expired' ? 'released' : 'confirmed'
}

const discountOf = (discount: (typeof coupons)[number]['discount']) => ({
  discount_type: discount.type,
  percent_bps: discount.type === 'percent' ? discount.bps : null,
  amount_off: discount.type === 'amount' ? discount.amount : null,
  currency: discount.type === 'amount' ? schoolRow.currency : null,
})
