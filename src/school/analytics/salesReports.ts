import { z } from 'zod'
import { exampleId } from '../../base/ids.ts'
import { defineCollectionRead } from '../../engine/declare/typedOperations.ts'
import {
  amount,
  figure,
  forStaff,
  only,
  other,
  overDays,
  parts,
  periodParameters,
  ranged,
  revenueReport,
  series,
  share,
} from './analyticsFields.ts'
import { readOverDays, readTax } from './analyticsReading.ts'
import { productTypes } from './figures.ts'
import { orderStatuses } from './orderStatuses.ts'
import { coupons } from './reports/coupons.ts'
import { orders } from './reports/orders.ts'
import { revenue } from './reports/revenue.ts'
import { subscriptions } from './reports/subscriptions.ts'

const product = z
  .string()
  .regex(/^(crs|dgp|mpl|evt)_[0-7][0-9a-hjkmnp-tv-z]{25}$/, 'must be the id of a course, a digital product, a membership plan or an event')
  .optional()
  .meta({ description: 'Only this course, digital product, membership plan or event.', example: exampleId('crs') })

const taxFields = {
  gross: amount('Paid orders after discounts, including taxes.'),
  net: amount('gross less tax.'),
  tax: amount('Taxes of the paid orders.'),
  refunded: amount('Refunds, including taxes.'),
  refunded_tax: amount('Taxes of the refunds.'),
  tax_due: amount('tax less refunded_tax.'),
}

export const salesReports = {
  tax: defineCollectionRead({
    ...forStaff,
    id: 'analyticsTax',
    summary: 'Get the taxes by country and rate',
    about:
      'Sales count on the day of the payment, refunds on the day of the refund, under the country and the rate of their order. The groups add up to the totals.',
    parameters: z.object({ from: periodParameters.from, to: periodParameters.to }),
    output: other('tax', {
      ...ranged,
      totals: z.object(taxFields).meta({ description: 'Totals of the period.' }),
      groups: z
        .array(
          z.object({
            country: z.string().nullable().meta({ description: 'ISO 3166-1 code; null if the country is unknown.', example: 'DE' }),
            rate_bps: z
              .int()
              .nullable()
              .meta({ description: 'Rate in hundredths of a percent; null for orders of earlier releases.', example: 1900 }),
            ...taxFields,
          }),
        )
        .meta({ description: 'Every country and rate with sales or refunds, by country and rate.', example: [] }),
    }),
    rows: ['groups'],
    run: readTax,
  }),
  revenue: defineCollectionRead({
    ...forStaff,
    id: 'analyticsRevenue',
    summary: 'Get the revenue',
    about: 'Sales count on the day of the payment, refunds on the day of the refund.',
    parameters: z.object({
      ...periodParameters,
      product_type: z.enum(productTypes).optional().meta({ description: 'Only products of this type.' }),
      product_id: product,
      coupon_id: only('cpn', 'Only orders with this coupon.'),
      currency: z
        .string()
        .regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code such as EUR')
        .optional()
        .meta({ description: 'The currency of the school, the only one in which figures are available.', example: 'EUR' }),
      group_by: z
        .enum(['product', 'product_type', 'coupon', 'source'])
        .optional()
        .meta({ description: 'Adds groups to the response. The key of orders without a coupon is `none`.' }),
    }),
    output: revenueReport,
    rows: parts,
    run: readOverDays(revenue),
  }),
  orders: defineCollectionRead({
    ...forStaff,
    id: 'analyticsOrders',
    summary: 'Get the number of orders by outcome',
    parameters: z.object({
      ...periodParameters,
      status: z
        .array(z.enum(orderStatuses).meta({ component: 'OrderStatus' }))
        .min(1)
        .max(orderStatuses.length)
        .optional()
        .meta({ description: 'Only orders whose current status is one of these.' }),
      product_id: product,
    }),
    output: overDays('orders', {
      placed: figure('Placed orders.'),
      paid: figure('Paid orders.'),
      failed: figure('Orders whose payment failed permanently.'),
      expired: figure('Orders that were not paid in time.'),
      refunded: figure('Fully refunded orders.'),
      conversion_percent: share('Paid orders as a share of placed orders.'),
    }),
    rows: series,
    run: readOverDays(orders),
  }),
  subscriptions: defineCollectionRead({
    ...forStaff,
    id: 'analyticsSubscriptions',
    summary: 'Get the number of new, cancelled and ended subscriptions',
    about:
      'A subscription runs from its start to its end, also while it is past due, but not while it is paused. Its price counts per month: a yearly price is divided by twelve and rounded half up. Trials, complimentary subscriptions and one-time payments count as 0.',
    parameters: z.object({ ...periodParameters, plan_id: only('mpl', 'Only this plan.') }),
    output: overDays('subscriptions', {
      new: figure('New subscriptions of people without an earlier subscription that has ended.'),
      reactivated: figure('New subscriptions of people with an earlier subscription that has ended.'),
      canceled: figure('Cancellations, including those that take effect at the end of a period.'),
      ended: figure('Subscriptions that ended.'),
      active_at_end: figure('Running subscriptions at the end of the period, including trials.'),
      trialing: figure('Subscriptions in a trial at the end of the period.'),
      mrr: amount('Monthly recurring revenue at the end of the period.'),
      churn_rate_percent: share(
        'Ended subscriptions as a share of the average of those that ran at the beginning and at the end of the period.',
      ),
      trial_conversion_percent: share('Trials that became paid subscriptions, as a share of the trials that ended.'),
    }),
    rows: series,
    run: readOverDays(subscriptions),
  }),
  coupons: defineCollectionRead({
    ...forStaff,
    id: 'analyticsCoupons',
    summary: 'Get the use of coupons',
    parameters: z.object(periodParameters),
    output: overDays(
      'coupons',
      {
        redemptions: figure('Redemptions, less those of orders that were undone.'),
        discount_total: amount('Sum of the discounts.'),
        revenue_with_coupon: amount('Paid orders with a coupon, less refunds.'),
      },
      'Groups by coupon, the 100 with the most redemptions.',
    ),
    rows: parts,
    run: readOverDays(coupons),
  }),
}
