import { Problem } from '../../base/problem.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { lockRows } from '../../database/connection/lockRows.ts'
import { type Builder, countedBy } from '../../database/statements/expressions.ts'
import { changedPerson, recordChanges, recordPersonChanges } from '../../database/tables/changeLog.ts'
import { releaseUses } from '../coupons/reserveCoupon.ts'
import { endEnrollments, restoreEnrollments } from '../learning/restoreEnrollments.ts'
import type { InSchool } from '../schoolHandles.ts'
import { grantsAccess } from './accessExpressions.ts'
import type { OfSubscription, SubscriptionRow } from './subscriptionRow.ts'
import { isFinal } from './subscriptionTransitions.ts'

/** Selects the tier of a person: `paid` if they pay for a plan, `comped` if they have one for free, else `free`. */
const tierOf = (person: Builder<'person'>) =>
  person.fn.coalesce(
    person
      .selectFrom('subscription')
      .innerJoin('plan_price', 'plan_price.id', 'subscription.price_id')
      .select((row) =>
        row
          .case()
          .when(row.fn<boolean>('bool_or', [row('subscription.collection', '<>', 'comped')]))
          .then(row.val('paid'))
          .else(row.val('comped'))
          .end()
          .as('tier'),
      )
      .whereRef('subscription.person_id', '=', 'person.id')
      .where(grantsAccess)
      .where('plan_price.amount', '>', 0)
      .having((row) => row(row.fn.countAll(), '>', 0)),
    person.val('free'),
  )

async function syncTier(writer: SchoolWriter, { now }: InSchool, personIds: readonly string[]): Promise<void> {
  if (personIds.length === 0) return
  await lockRows(writer, 'person', { schoolId: writer.schoolId, ids: personIds })
  const changed = await writer
    .updateTable('person')
    .set((person) => ({ tier: tierOf(person), version: person('person.version', '+', 1), updated_at: now }))
    .where('person.id', 'in', [...personIds])
    .where((person) => person('person.tier', '<>', tierOf(person)))
    .returning(changedPerson)
    .execute()
  await recordPersonChanges(writer, changed)
}

/**
 * Applies the effects of a transition of a subscription that was just written: ends the enrolments that it no longer grants, or restores
 * those that ended with a plan and that it grants again, cancels its unpaid order if it has ended, and updates the tier of the person.
 */
export async function syncAccess(
  writer: SchoolWriter,
  { now, subscriptionId }: OfSubscription,
  row: Pick<SubscriptionRow, 'person_id'>,
): Promise<void> {
  const granting = await writer
    .selectFrom('subscription')
    .select('id')
    .where('id', '=', subscriptionId)
    .where(grantsAccess)
    .executeTakeFirst()
  if (granting) await restoreEnrollments(writer, { now, subscriptionId }, row.person_id)
  else await endEnrollments(writer, { schoolId: writer.schoolId, now, subscriptionId })
  await cancelPendingOrders(writer, { schoolId: writer.schoolId, now, subscriptionId })
  await syncTier(writer, { schoolId: writer.schoolId, now }, [row.person_id])
}

async function cancelPendingOrders(writer: SchoolWriter, { now, subscriptionId }: OfSubscription): Promise<void> {
  const canceled = await writer
    .updateTable('orders')
    .from('subscription')
    .set((order) => ({
      status: 'canceled',
      canceled_at: now,
      expires_at: null,
      version: order('orders.version', '+', 1),
      updated_at: now,
    }))
    .where('orders.subscription_id', '=', subscriptionId)
    .where('orders.status', '=', 'pending')
    .where('subscription.id', '=', subscriptionId)
    .where('subscription.status', 'in', ['canceled', 'expired'])
    .returning(['orders.id', 'orders.version'])
    .execute()
  if (canceled.length === 0) return
  await releaseUses(writer, { now, orderIds: canceled.map(({ id }) => id) })
  await recordChanges(writer, { type: 'order', action: 'canceled' }, canceled)
}

export async function makeMember(writer: SchoolWriter, { now }: InSchool, personId: string): Promise<void> {
  const changed = await writer
    .updateTable('person')
    .set((person) => ({
      is_member: true,
      joined_at: person.fn.coalesce('person.joined_at', person.cast<Date>(person.val(now), 'timestamptz')),
      version: person('person.version', '+', 1),
      updated_at: now,
      member_status: person.case().when('person.member_status', '=', 'left').then('active').else(person.ref('person.member_status')).end(),
    }))
    .where('person.id', '=', personId)
    .where((person) => person.or([person('person.is_member', '=', false), person('person.member_status', '=', 'left')]))
    .returning(changedPerson)
    .execute()
  await recordPersonChanges(writer, changed, { member: 'created' })
}

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
