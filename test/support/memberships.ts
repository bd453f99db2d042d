/** Creates plans and subscriptions without the API, for tests that only need them to exist. */
import { newId } from '../../src/base/ids.ts'
import type { Sql } from '../../src/database/connection/sql.ts'

export interface PlanRow {
  id?: string
  slug?: string
  status?: 'draft' | 'active' | 'archived'
  visibility?: 'public' | 'hidden'
  max_members?: number
  amount?: number
  interval?: 'month' | 'year' | 'one_time'
  trial_days?: number
  manual_renewal?: 'confirm' | 'automatic'
}

/** Creates a plan with one price. Returns the ids of both. */
export async function newPlan(sql: Sql, schoolId: string, row: PlanRow = {}): Promise<{ planId: string; priceId: string }> {
  const { id: planId = newId(), status = 'active', visibility = 'public', max_members = null, manual_renewal = 'confirm' } = row
  const { slug = `plan-${planId}`, amount = 1200, interval = 'month', trial_days = 0 } = row
  const priceId = newId()
  await sql.query(
    `INSERT INTO membership_plan (school_id, id, slug, name, status, visibility, max_members, manual_renewal)
     VALUES ($1, $2, $3, 'Workbench', $4, $5, $6, $7)`,
    [schoolId, planId, slug, status, visibility, max_members, manual_renewal],
  )
  await sql.query(
    `INSERT INTO plan_price (school_id, id, plan_id, interval, amount, currency, trial_days) VALUES ($1, $2, $3, $4, $5, 'EUR', $6)`,
    [schoolId, priceId, planId, interval, amount, trial_days],
  )
  return { planId, priceId }
}

export interface SubscriptionRow {
  id?: string
  personId: string
  planId: string
  priceId: string
  status?: string
  collection?: 'automatic' | 'manual' | 'comped'
  amount?: number
  /** Other columns, as SQL writes their values. */
  more?: Readonly<Record<string, string>>
}

/** Creates a subscription in any state, in a period that began ten days ago and lasts twenty more. Returns its id. */
export async function newSubscription(sql: Sql, schoolId: string, row: SubscriptionRow): Promise<string> {
  const { personId, planId, priceId, status = 'active', collection = 'automatic', amount = 1200, more = {}, id = newId() } = row
  await sql.query(
    `INSERT INTO subscription (school_id, id, person_id, plan_id, price_id, status, collection, amount, currency)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'EUR')`,
    [schoolId, id, personId, planId, priceId, status, collection, amount],
  )
  const isBegun = status !== 'incomplete'
  const period = {
    started_at: `now() - interval '10 days'`,
    current_period_start: `now() - interval '10 days'`,
    current_period_end: `now() + interval '20 days'`,
    ...(status === 'trialing' && { trial_ends_at: `now() + interval '20 days'` }),
    ...(status === 'past_due' && { past_due_since: `now() - interval '1 day'`, current_period_end: `now() - interval '1 day'` }),
    ...(status === 'paused' && { paused_at: `now() - interval '1 day'` }),
    ...(['canceled', 'expired'].includes(status) && { ended_at: `now() - interval '1 day'` }),
  }
  const columns = { ...(isBegun && period), ...more }
  const set = Object.entries(columns).map(([column, value]) => `"${column}" = ${value}`)
  if (set.length > 0) await sql.query(`UPDATE subscription SET ${set.join(', ')} WHERE school_id = $1 AND id = $2`, [schoolId, id])
  if (!['canceled', 'expired'].includes(status)) {
    await sql.query('UPDATE membership_plan SET subscribers_count = subscribers_count + 1 WHERE school_id = $1 AND id = $2', [
      schoolId,
      planId,
    ])
  }
  return id
}
