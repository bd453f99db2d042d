import { uuidOf } from '../../base/ids.ts'
import { fieldError, Problem, type ProblemDetail } from '../../base/problem.ts'
import { comparisonForm } from '../../base/text/comparisonForm.ts'
import type { Stored } from '../../database/connection/database.ts'
import { recordChange } from '../../database/tables/changeLog.ts'
import { startSubscription } from '../memberships/startSubscription.ts'
import { endSubscriptions } from '../students/eraseByStaff.ts'
import type { PersonChange } from '../students/findOrCreatePerson.ts'
import { addTags } from '../students/personTags.ts'

type MemberRow = Stored<'person', 'id' | 'member_status'>

/**
 * Checks that a member may be blocked, and returns the reason as columns.
 * @throws Problem self_change, or invalid_state for an owner
 */
export async function blockMember(
  change: PersonChange,
  row: MemberRow,
  reason: string | null,
): Promise<{ member_status_reason: string | null }> {
  if (row.id === change.caller.personId) throw new Problem('self_change', { description: 'You cannot block yourself.' })
  const owner = await change.writer
    .selectFrom('staff')
    .select('id')
    .where('person_id', '=', row.id)
    .where('role', '=', 'owner')
    .where('status', '=', 'active')
    .executeTakeFirst()
  if (owner) throw new Problem('invalid_state', { description: 'An owner of the school cannot be blocked.' })
  return { member_status_reason: reason }
}

/**
 * Checks that a member may be removed. Ends their subscriptions if requested.
 * @throws Problem active_subscription
 */
export async function removeMember(
  change: PersonChange,
  row: MemberRow,
  { reason, isRequested }: { reason: string | null; isRequested: boolean },
): Promise<{ member_status_reason: string | null }> {
  await endSubscriptions(change, row.id, { isRequested, reason: 'staff' })
  return { member_status_reason: reason }
}

/**
 * Checks that the caller may leave the school: a member without running subscriptions.
 * @throws Problem active_subscription
 */
export async function leaveSchool(change: PersonChange, row: MemberRow): Promise<Record<never, never>> {
  await endSubscriptions(change, row.id, { isRequested: false, reason: 'other' })
  return {}
}

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

export interface Labels {
  add: readonly string[]
  remove: readonly string[]
}

/**
 * Adds and removes labels of a member. A label in both lists is added. The version is incremented only if the labels change.
 * @throws Problem not_found, invalid_state
 */
export async function labelMember(change: PersonChange, memberId: string, { add, remove }: Labels): Promise<void> {
  const { writer, now } = change
  const personId = uuidOf('mbr', memberId)
  const row = await writer
    .selectFrom('person')
    .select(['id', 'version', 'is_student', 'erased_at'])
    .where('id', '=', personId)
    .where('is_member', '=', true)
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw new Problem('not_found', { description: 'The school has no such member.' })
  if (row.erased_at !== null) throw new Problem('invalid_state', { description: 'This person was erased and cannot be changed.' })
  const before = await labelsOf(change, personId)
  const added = new Set(add.map(comparisonForm))
  const removed = remove.map(comparisonForm).filter((form) => !added.has(form))
  if (removed.length > 0) {
    await writer
      .deleteFrom('person_tag')
      .where('person_id', '=', personId)
      .where('kind', '=', 'member_label')
      .where('form', 'in', removed)
      .execute()
  }
  await addTags(writer, { personId, kind: 'member_label' }, add)
  const after = await labelsOf(change, personId)
  if (after.length > maxLabels) throw new Problem('validation_failed', { description: `A member can have at most ${maxLabels} labels.` })
  if (after.join('\n') === before.join('\n')) return
  await writer
    .updateTable('person')
    .set({ updated_at: now, version: row.version + 1 })
    .where('id', '=', personId)
    .execute()
  const changed = { school_id: writer.schoolId, resource_id: personId, action: 'updated' as const, version: row.version + 1 }
  await recordChange(writer, { ...changed, type: 'member' })
  if (row.is_student) await recordChange(writer, { ...changed, type: 'student' })
}

const maxLabels = 50

async function labelsOf({ writer }: PersonChange, personId: string): Promise<string[]> {
  const rows = await writer
    .selectFrom('person_tag')
    .select('tag')
    .where('person_id', '=', personId)
    .where('kind', '=', 'member_label')
    .orderBy('tag')
    .execute()
  return rows.map(({ tag }) => tag)
}
