import { fromPublicId } from '../../lib/ids.ts'
import { Problem, type ProblemDetail } from '../../lib/problem.ts'
import { startSubscription } from '../memberships/startSubscription.ts'
import type { PersonChange } from '../students/personWriting.ts'

/**
 * Checks that a new member can be given this plan.
 * @param scopes those that adding a member needs, then the one that starting a subscription needs
 * @throws Problem insufficient_scope
 */
export async function checkGivenPlan(
  { writer, school, caller }: PersonChange,
  planId: unknown,
  scopes: readonly [member: string, subscription: string],
): Promise<ProblemDetail[]> {
  if (typeof planId !== 'string') return []
  if (!caller.scopes.has(scopes[1])) {
    throw new Problem('insufficient_scope', {
      description: `plan_id needs the scope ${scopes[1]}, because it starts a subscription.`,
      requiredScopes: scopes,
    })
  }
  const plan = await writer
    .selectFrom('membership_plan')
    .innerJoin('plan_price', (join) =>
      join.onRef('plan_price.school_id', '=', 'membership_plan.school_id').onRef('plan_price.plan_id', '=', 'membership_plan.id'),
    )
    .select('membership_plan.id')
    .where('membership_plan.school_id', '=', school.id)
    .where('membership_plan.id', '=', fromPublicId('mpl', planId) as string)
    .where('membership_plan.status', '=', 'active')
    .where('plan_price.active', '=', true)
    .executeTakeFirst()
  if (plan) return []
  return [{ field: 'plan_id', code: 'invalid_reference', message: 'plan_id: there is no active plan of this school by that id' }]
}

/**
 * Gives a member a plan that costs nothing.
 * @throws Problem invalid_state where the plan takes nobody now, already_subscribed
 */
export async function givePlan({ sql, writer, school, now }: PersonChange, personId: string, plan: string): Promise<void> {
  const planId = fromPublicId('mpl', plan) as string
  const price = await writer
    .selectFrom('plan_price')
    .select('id')
    .where('school_id', '=', school.id)
    .where('plan_id', '=', planId)
    .where('active', '=', true)
    .orderBy('amount')
    .orderBy('id')
    .executeTakeFirst()
  if (!price) throw new Problem('invalid_reference')
  await startSubscription(sql, { schoolId: school.id, now, personId, planId, priceId: price.id, collection: 'comped' })
}
