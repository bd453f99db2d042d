import { Problem } from '../../base/problem.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { countedBy } from '../../database/statements/expressions.ts'
import type { SubscriptionRow } from './subscriptionRow.ts'
import { isFinal } from './subscriptionTransitions.ts'

interface OfPlan {
  planId: string
}

/**
 * Takes a seat of a plan, and locks the plan until the transaction ends. The version of the plan does not count its seats.
 * @throws Problem invalid_state if the plan is not active, or is full
 */
export async function takeSeat(writer: SchoolWriter, { planId }: OfPlan): Promise<void> {
  const taken = await writer
    .updateTable('membership_plan')
    .set((plan) => ({ subscribers_count: plan('subscribers_count', '+', 1) }))
    .where('id', '=', planId)
    .where('status', '=', 'active')
    .where((plan) => plan.or([plan('max_members', 'is', null), plan('subscribers_count', '<', plan.ref('max_members'))]))
    .returning('id')
    .executeTakeFirst()
  if (taken) return
  const plan = await writer.selectFrom('membership_plan').select('status').where('id', '=', planId).executeTakeFirst()
  throw new Problem('invalid_state', {
    description: plan?.status === 'active' ? 'The plan is full.' : 'The plan is not active, so it takes no new subscriptions.',
  })
}

/** Locks plans until the transaction ends. The constant order prevents deadlocks. */
export async function lockPlans(writer: SchoolWriter, planIds: readonly string[]): Promise<void> {
  if (planIds.length === 0) return
  await writer
    .selectFrom('membership_plan')
    .select('id')
    .where('id', 'in', [...planIds])
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
}

export async function lockPlansOf(
  writer: SchoolWriter,
  { plan_id, pending_price_id }: Pick<SubscriptionRow, 'plan_id' | 'pending_price_id'>,
  more: readonly string[] = [],
): Promise<void> {
  const pending =
    pending_price_id === null ? [] : await writer.selectFrom('plan_price').select('plan_id').where('id', '=', pending_price_id).execute()
  await lockPlans(writer, [plan_id, ...pending.map((price) => price.plan_id), ...more])
}

/** Releases the seat of a subscription that is about to end. Call it before the new state is written. */
export async function leaveSeat(
  writer: SchoolWriter,
  row: Pick<SubscriptionRow, 'school_id' | 'plan_id' | 'status'>,
  next: string,
): Promise<void> {
  if (isFinal(row.status) || !isFinal(next)) return
  await releaseSeat(writer, { planId: row.plan_id })
}

export async function releaseSeat(writer: SchoolWriter, { planId }: OfPlan): Promise<void> {
  await writer
    .updateTable('membership_plan')
    .set((plan) => ({ subscribers_count: countedBy(plan.ref('membership_plan.subscribers_count'), -1) }))
    .where('id', '=', planId)
    .execute()
}

/**
 * Checks that the person has no running subscription to the plan. The plan is locked, so no subscription can start in the meantime.
 * @throws Problem already_subscribed
 */
export async function requireNotSubscribed(writer: SchoolWriter, { planId, personId }: OfPlan & { personId: string }): Promise<void> {
  const running = await writer
    .selectFrom('subscription')
    .select('id')
    .where('person_id', '=', personId)
    .where('plan_id', '=', planId)
    .where('status', 'not in', ['canceled', 'expired'])
    .executeTakeFirst()
  if (running) throw new Problem('already_subscribed')
}
