/** Plans and subscriptions past the API, for what only needs them to be there. */
import { newId } from '../../src/lib/ids.ts'
import type { Sql } from '../../src/store/sql.ts'

export interface PlanRow {
  id?: string
  slug?: string
  status?: 'draft' | 'active' | 'archived'
  visibility?: 'public' | 'hidden'
  max_members?: number
  amount?: number
  interval?: 'month' | 'year' | 'one_time'
  trial_days?: number
}

/** A plan with one price; answers the ids of both. */
export async function newPlan(sql: Sql, schoolId: string, row: PlanRow = {}): Promise<{ planId: string; priceId: string }> {
  const { id: planId = newId(), status = 'active', visibility = 'public', max_members = null } = row
  const { slug = `plan-${planId}`, amount = 1200, interval = 'month', trial_days = 0 } = row
  const priceId = newId()
  await sql.query(
    `INSERT INTO membership_plan (school_id, id, slug, name, status, visibility, max_members) VALUES ($1, $2, $3, 'Workbench', $4, $5, $6)`,
    [schoolId, planId, slug, status, visibility, max_members],
  )
  await sql.query(
    `INSERT INTO plan_price (school_id, id, plan_id, interval, amount, currency, trial_days) VALUES ($1, $2, $3, $4, $5, 'EUR', $6)`,
    [schoolId, priceId, planId, interval, amount, trial_days],
  )
  return { planId, priceId }
}
