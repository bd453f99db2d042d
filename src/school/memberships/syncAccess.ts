import type { SchoolWriter } from '../../database/connection/database.ts'
import { lockRows } from '../../database/connection/lockRows.ts'
import type { Builder } from '../../database/statements/expressions.ts'
import { recordChanges } from '../../database/tables/changeLog.ts'
import { changedPerson, recordPersonChanges } from '../../database/tables/personChanges.ts'
import { releaseUses } from '../coupons/reserveCoupon.ts'
import { endEnrollments } from '../learning/endEnrollments.ts'
import { restoreEnrollments } from '../learning/restoreEnrollments.ts'
import type { InSchool } from '../schoolHandles.ts'
import { grantsAccess } from './accessExpressions.ts'
import type { OfSubscription, SubscriptionRow } from './subscriptionRow.ts'

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
