import { uuidOf } from '../../base/ids.ts'
import { fieldError, Problem, type ProblemDetail } from '../../base/problem.ts'
import { startSubscription } from '../memberships/startSubscription.ts'
import type { PersonChange } from '../students/personWriting.ts'

/**
 * Checks that a new member can get this plan.
 * @param scopes the scope for adding a member, and the one for starting a subscription
 * @throws Problem insufficient_scope
 */
export async function checkGivenPlan(
  { writer, caller }: PersonChange,
  planId: string | undefined,
  scopes: readonly [member: string, subscription: string],
): Promise<ProblemDetail[]> {
  if (planId === undefined) return []
  if (!caller.scopes.has(scopes[1])) {
    throw new Problem('insufficient_scope', {
      description: `plan_id needs the scope ${scopes[1]}, because it starts a subscription.`,
      requiredScopes: scopes,
    })
  }
  const plan = await writer
    .selectFrom('membership_plan')
    .innerJoin('plan_price', 'plan_price.plan_id', 'membership_plan.id')
    .select('membership_plan.id')
    .where('membership_plan.id', '=', uuidOf('mpl', planId))
    .where('membership_plan.status', '=', 'active')
    .where('plan_price.active', '=', true)
    .executeTakeFirst()
  if (plan) return []
  return [fieldError('plan_id', 'invalid_reference', 'must be the id of an active plan with an active price')]
}

/**
 * Starts a complimentary subscription of a member.
 * @throws Problem invalid_state if the plan is not active or is full, already_subscribed
 */
export async function givePlan({ writer, now }: PersonChange, personId: string, plan: string): Promise<void> {
  const planId = uuidOf('mpl', plan)
  const price = await writer
    .selectFrom('plan_price')
    .select('id')
    .where('plan_id', '=', planId)
    .where('active', '=', true)
    .orderBy('amount')
    .orderBy('id')
    .executeTakeFirst()
  if (!price) throw new Problem('invalid_reference')
  await startSubscription(writer, { schoolId: writer.schoolId, now, personId, planId, priceId: price.id, collection: 'comped' })
}
