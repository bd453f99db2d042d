import { recordChanges } from '../../store/changeLog.ts'
import type { Sql } from '../../store/sql.ts'

/** Whether a person has a subscription that is not over. */
export async function hasRunningSubscription(sql: Sql, schoolId: string, personId: string): Promise<boolean> {
  const found = await sql.query(
    "SELECT id FROM subscription WHERE school_id = $1 AND person_id = $2 AND status NOT IN ('canceled', 'expired') LIMIT 1",
    [schoolId, personId],
  )
  return found.length > 0
}

/** Ends every subscription of a person at once. */
export async function cancelSubscriptionsOf(
  sql: Sql,
  { schoolId, now, personId, reason }: { schoolId: string; now: Date; personId: string; reason: string },
): Promise<void> {
  const ended = await sql.query<{ id: string; version: number; plan_id: string }>(
    `UPDATE subscription SET status = 'canceled', canceled_at = coalesce(canceled_at, $3), ended_at = $3, cancellation_reason = $4,
            cancel_at_period_end = false, cancel_at = NULL, updated_at = $3, version = version + 1
      WHERE school_id = $1 AND person_id = $2 AND status NOT IN ('canceled', 'expired') RETURNING id, version, plan_id`,
    [schoolId, personId, now, reason],
  )
  await sql.query(
    `UPDATE membership_plan SET subscribers_count = greatest(0, subscribers_count - ended.count)
       FROM (SELECT plan_id, count(*)::int AS count FROM unnest($2::uuid[]) AS plan_id GROUP BY plan_id) ended
      WHERE membership_plan.school_id = $1 AND membership_plan.id = ended.plan_id`,
    [schoolId, ended.map(({ plan_id }) => plan_id)],
  )
  await recordChanges(sql, { school_id: schoolId, type: 'subscription', action: 'cancel' }, ended)
}
