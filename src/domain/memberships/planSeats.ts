import { Problem } from '../../lib/problem.ts'
import type { Sql } from '../../store/sql.ts'
import type { SubscriptionRow } from './subscriptionRow.ts'
import { isFinal } from './subscriptionTransitions.ts'

interface OfPlan {
  schoolId: string
  planId: string
}

/**
 * Counts one more who has the plan, if there is room; from then on the plan waits for this transaction. The plan's version stays.
 * @throws Problem invalid_state where the plan takes nobody now
 */
export async function takeSeat(sql: Sql, { schoolId, planId }: OfPlan): Promise<void> {
  const [taken] = await sql.query(
    `UPDATE membership_plan SET subscribers_count = subscribers_count + 1
      WHERE school_id = $1 AND id = $2 AND status = 'active' AND (max_members IS NULL OR subscribers_count < max_members) RETURNING id`,
    [schoolId, planId],
  )
  if (taken) return
  const [plan] = await sql.query<{ status: string }>('SELECT status FROM membership_plan WHERE school_id = $1 AND id = $2', [
    schoolId,
    planId,
  ])
  throw new Problem('invalid_state', {
    description:
      plan?.status === 'active' ? 'The plan has as many members as it can have.' : 'The plan takes no new subscriptions: it is not active.',
  })
}

/** Keeps these plans until the transaction ends, always in one order, so that no two ever wait for each other. */
export async function lockPlans(sql: Sql, schoolId: string, planIds: readonly string[]): Promise<void> {
  await sql.query('SELECT id FROM membership_plan WHERE school_id = $1 AND id = ANY ($2::uuid[]) ORDER BY id FOR NO KEY UPDATE', [
    schoolId,
    planIds,
  ])
}

/** Counts one less where a subscription is over. Called before it is written. */
export async function leaveSeat(sql: Sql, row: Pick<SubscriptionRow, 'school_id' | 'plan_id' | 'status'>, next: string): Promise<void> {
  if (isFinal(row.status) || !isFinal(next)) return
  await freeSeat(sql, { schoolId: row.school_id, planId: row.plan_id })
}

export const freeSeat = async (sql: Sql, { schoolId, planId }: OfPlan): Promise<void> =>
  void (await sql.query(
    'UPDATE membership_plan SET subscribers_count = greatest(0, subscribers_count - 1) WHERE school_id = $1 AND id = $2',
    [schoolId, planId],
  ))

/** @throws Problem already_subscribed. The plan is locked by now, so nobody else starts one meanwhile. */
export async function requireNoOther(sql: Sql, { schoolId, planId, personId }: OfPlan & { personId: string }): Promise<void> {
  const [running] = await sql.query(
    `SELECT id FROM subscription WHERE school_id = $1 AND person_id = $2 AND plan_id = $3 AND status NOT IN ('canceled', 'expired')`,
    [schoolId, personId, planId],
  )
  if (running) throw new Problem('already_subscribed')
}
