import { z } from 'zod'
import { orderStatuses } from '../domain/analytics/orderStatuses.ts'
import { coupons } from '../domain/analytics/reports/coupons.ts'
import { orders } from '../domain/analytics/reports/orders.ts'
import { revenue } from '../domain/analytics/reports/revenue.ts'
import { subscriptions } from '../domain/analytics/reports/subscriptions.ts'
import { productTypes } from '../domain/analytics/subjects.ts'
import { defineCollectionRead } from '../framework/declare/typedOperations.ts'
import { amount, figure, forStaff, only, overDays, parts, periodParameters, series, share } from './analyticsFields.ts'
import { readOverDays } from './analyticsReading.ts'

const product = z
  .string()
  .regex(/^(crs|dgp|mpl)_[0-7][0-9a-hjkmnp-tv-z]{25}$/, 'must be the id of a course, a digital product or a membership plan')
  .optional()
  .meta({ description: 'Only this course, digital product or membership plan.' })

/** The reports on orders, subscriptions and coupons. */
export const salesReports = {
  revenue: defineCollectionRead({
    ...forStaff,
    id: 'analyticsRevenue',
    summary: 'Show what was earned',
    about: 'Sales are booked on the day on which they were paid, refunds on the day on which they were made.',
    parameters: z.object({
      ...periodParameters,
      product_type: z.enum(productTypes).optional().meta({ description: 'Only products of this kind.' }),
      product,
      coupon: only('cpn', 'Only orders with this coupon.'),
      currency: z
        .string()
        .regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code such as EUR')
        .optional()
        .meta({ description: 'The currency of the school: there are no figures in another.' }),
      group_by: z
        .enum(['product', 'product_type', 'coupon', 'source'])
        .optional()
        .meta({ description: 'Also in parts; of coupons, those orders that had one.' }),
    }),
    output: overDays(
      'revenue',
      {
        gross: amount('Paid orders before discounts, taxes included.'),
        discounts: amount('What discounts took off.'),
        refunds: amount('What was given back.'),
        tax: amount('Taxes in it.'),
        net: amount('gross less discounts less refunds.'),
        orders: figure('Orders that were paid.'),
        average_order: amount('What a paid order came to on average, before refunds.'),
      },
      'Parts by what group_by names, the largest 100 by gross. An order stands in each part in which it has a line.',
    ),
    rows: parts,
    run: readOverDays(revenue),
  }),
  orders: defineCollectionRead({
    ...forStaff,
    id: 'analyticsOrders',
    summary: 'Show what became of orders',
    parameters: z.object({
      ...periodParameters,
      status: z
        .array(z.enum(orderStatuses))
        .min(1)
        .max(orderStatuses.length)
        .optional()
        .meta({ description: 'Only orders that are in one of these states now.' }),
      product,
    }),
    output: overDays('orders', {
      placed: figure('Orders that were begun.'),
      paid: figure('Orders that were paid.'),
      failed: figure('Orders whose payment was refused for good.'),
      expired: figure('Orders that nobody paid in time.'),
      refunded: figure('Orders that were wholly given back.'),
      conversion_percent: share('Paid ones for those that were begun.'),
    }),
    rows: series,
    run: readOverDays(orders),
  }),
  subscriptions: defineCollectionRead({
    ...forStaff,
    id: 'analyticsSubscriptions',
    summary: 'Show who subscribed and who left',
    about:
      'A subscription runs from its start to its end; past due ones run, paused ones do not. Its price counts as that of a month: a year by twelve, rounded half up; nothing while it is in trial, given away or paid once and for all.',
    parameters: z.object({ ...periodParameters, plan: only('mpl', 'Only this plan.') }),
    output: overDays('subscriptions', {
      new: figure('Subscriptions of people who never had one that is over.'),
      reactivated: figure('Subscriptions of people who came back.'),
      canceled: figure('Cancellations, also those to the end of a period.'),
      ended: figure('Subscriptions that are over.'),
      active_at_end: figure('Subscriptions that run at the end, those in trial among them.'),
      trialing: figure('Of those, in trial.'),
      mrr: amount('What they bring in a month, at the end.'),
      churn_rate_percent: share('Those that ended, of those that ran at the beginning.'),
      trial_conversion_percent: share('Trials after which the subscription went on, of those that ended.'),
    }),
    rows: series,
    run: readOverDays(subscriptions),
  }),
  coupons: defineCollectionRead({
    ...forStaff,
    id: 'analyticsCoupons',
    summary: 'Show what coupons were used for',
    parameters: z.object(periodParameters),
    output: overDays(
      'coupons',
      {
        redemptions: figure('Uses that stand.'),
        discount_total: amount('What they took off.'),
        revenue_with_coupon: amount('Paid orders with a coupon, less refunds.'),
      },
      'One by one, the 100 most used.',
    ),
    rows: parts,
    run: readOverDays(coupons),
  }),
}
