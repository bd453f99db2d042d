import { aliased } from '../../../database/statements/columns.ts'
import { defineRollup } from './rollup.ts'

const row = aliased('subscription', 'row')
const price = aliased('plan_price')
const earlier = aliased('subscription', 'earlier')

/** Subscriptions with their prices. Those that wait for their first payment are not counted. */
const from = `${row} JOIN ${price} ON ${price.school_id} = ${row.school_id} AND ${price.id} = ${row.price_id}`
const isCounted = `${row.status} NOT IN ('incomplete', 'expired')`

/** The end of the subscription, or the beginning of its current pause. */
const endOrPause = `least(${row.ended_at}, CASE WHEN ${row.status} = 'paused' THEN ${row.paused_at} END)`
/** Until when it brings money. Where the school collects payments itself, unconfirmed payments do not count. */
const revenueEnd = `least(${endOrPause}, CASE WHEN ${row.status} = 'past_due' AND ${row.collection} = 'manual' THEN ${row.past_due_since} END)`
const hasTrial = `${row.trial_ends_at} > ${row.started_at}`
const trialEnds = `least(${row.trial_ends_at}, ${endOrPause})`
/** When the subscription begins to cost money. */
const revenueStart = `CASE WHEN ${hasTrial} THEN ${row.trial_ends_at} ELSE ${row.started_at} END`

/** The price of a month, rounded half up; 0 for complimentary subscriptions and one-time payments. */
const monthly = `CASE WHEN ${row.collection} = 'comped' OR ${price.interval} = 'one_time' THEN 0
  ELSE round(${row.amount}::numeric / (${price.interval_count} * CASE ${price.interval} WHEN 'year' THEN 12 ELSE 1 END)) END`

const hadEarlierSubscription = `EXISTS (SELECT FROM ${earlier} WHERE ${earlier.school_id} = ${row.school_id} AND ${earlier.person_id} = ${row.person_id}
   AND ${earlier.id} <> ${row.id} AND ${earlier.started_at} IS NOT NULL AND ${earlier.ended_at} <= ${row.started_at})`
const keys = { plan_id: row.plan_id }
const started = `${isCounted} AND ${row.started_at} IS NOT NULL`

/**
 * Counts of subscriptions. Levels (running, in trial, monthly revenue) are stored as changes: a subscription adds to a level where
 * it begins and subtracts the same where it ends. Past-due subscriptions are running and count as revenue, unless their payment waits
 * for a confirmation; trials are running and have no revenue yet. The current price of a subscription counts for all its days.
 */
export const planRollup = defineRollup({
  table: 'analytics_daily_plan',
  keys: ['plan_id'],
  measures: [
    'started',
    'reactivated',
    'canceled',
    'ended',
    'trials_ended',
    'trials_converted',
    'active_change',
    'trialing_change',
    'mrr_change',
  ],
  events: [
    {
      from,
      at: row.started_at,
      where: isCounted,
      keys,
      adds: {
        started: `CASE WHEN ${hadEarlierSubscription} THEN 0 ELSE 1 END`,
        reactivated: `CASE WHEN ${hadEarlierSubscription} THEN 1 ELSE 0 END`,
        active_change: '1',
        trialing_change: `CASE WHEN ${hasTrial} THEN 1 ELSE 0 END`,
      },
    },
    { from, at: row.canceled_at, where: isCounted, keys, adds: { canceled: '1' } },
    { from, at: row.ended_at, where: started, keys, adds: { ended: '1' } },
    { from, at: endOrPause, where: started, keys, adds: { active_change: '-1' } },
    { from, at: trialEnds, where: `${isCounted} AND ${hasTrial}`, keys, adds: { trialing_change: '-1' } },
    {
      from,
      at: `least(${row.trial_ends_at}, ${row.ended_at})`,
      where: `${isCounted} AND ${hasTrial}`,
      keys,
      adds: { trials_ended: '1', trials_converted: `CASE WHEN ${row.ended_at} <= ${row.trial_ends_at} THEN 0 ELSE 1 END` },
    },
    {
      from,
      at: revenueStart,
      where: `${isCounted} AND (${revenueEnd} IS NULL OR ${revenueEnd} > ${revenueStart})`,
      keys,
      adds: { mrr_change: monthly },
    },
    { from, at: revenueEnd, where: `${isCounted} AND ${revenueEnd} > ${revenueStart}`, keys, adds: { mrr_change: `-(${monthly})` } },
  ],
})
