import type { Rollup } from './rollup.ts'

/** Subscriptions that ever ran, with what they cost. One that waits for its first payment is none yet. */
const from = `subscription AS row
  JOIN plan_price ON plan_price.school_id = row.school_id AND plan_price.id = row.price_id`
const ran = `row.status NOT IN ('incomplete', 'expired')`

/** Until when it ran: to its end, or to the pause that it is in. */
const stopped = `least(row.ended_at, CASE WHEN row.status = 'paused' THEN row.paused_at END)`
/** Until when it brings money. Where the school collects itself, nothing counts before somebody has confirmed it. */
const unpaid = `least(${stopped}, CASE WHEN row.status = 'past_due' AND row.collection = 'manual' THEN row.past_due_since END)`
const hasTrial = 'row.trial_ends_at > row.started_at'
const trialEnds = `least(row.trial_ends_at, ${stopped})`
/** From when on it costs something. */
const pays = `CASE WHEN ${hasTrial} THEN row.trial_ends_at ELSE row.started_at END`

/** The price of a month, rounded half up; nothing for what is given away, or paid once and for all. */
const monthly = `CASE WHEN row.collection = 'comped' OR plan_price.interval = 'one_time' THEN 0
  ELSE round(row.amount::numeric / (plan_price.interval_count * CASE plan_price.interval WHEN 'year' THEN 12 ELSE 1 END)) END`

const wasThere = `EXISTS (SELECT FROM subscription AS earlier WHERE earlier.school_id = row.school_id AND earlier.person_id = row.person_id
   AND earlier.id <> row.id AND earlier.started_at IS NOT NULL AND earlier.ended_at <= row.started_at)`
const keys = { plan_id: 'row.plan_id' }

/**
 * What became of subscriptions. Levels (running, in trial, money of a month) stand as changes: what a subscription adds where it begins
 * it takes away where it stops. Past due ones run, and bring money
 * unless their payment waits for somebody to confirm it; trials run and bring nothing yet. What a subscription costs is what it costs now.
 */
export const planRollup: Rollup = {
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
  happenings: [
    {
      from,
      at: 'row.started_at',
      where: ran,
      keys,
      adds: {
        started: `CASE WHEN ${wasThere} THEN 0 ELSE 1 END`,
        reactivated: `CASE WHEN ${wasThere} THEN 1 ELSE 0 END`,
        active_change: '1',
        trialing_change: `CASE WHEN ${hasTrial} THEN 1 ELSE 0 END`,
      },
    },
    { from, at: 'row.canceled_at', where: ran, keys, adds: { canceled: '1' } },
    { from, at: 'row.ended_at', where: `${ran} AND row.started_at IS NOT NULL`, keys, adds: { ended: '1' } },
    { from, at: stopped, where: `${ran} AND row.started_at IS NOT NULL`, keys, adds: { active_change: '-1' } },
    { from, at: trialEnds, where: `${ran} AND ${hasTrial}`, keys, adds: { trialing_change: '-1' } },
    {
      from,
      at: 'least(row.trial_ends_at, row.ended_at)',
      where: `${ran} AND ${hasTrial}`,
      keys,
      adds: { trials_ended: '1', trials_converted: 'CASE WHEN row.ended_at <= row.trial_ends_at THEN 0 ELSE 1 END' },
    },
    { from, at: pays, where: `${ran} AND (${unpaid} IS NULL OR ${unpaid} > ${pays})`, keys, adds: { mrr_change: monthly } },
    { from, at: unpaid, where: `${ran} AND ${unpaid} > ${pays}`, keys, adds: { mrr_change: `-(${monthly})` } },
  ],
}
