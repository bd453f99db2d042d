import { Problem } from '../../base/problem.ts'
import type { ExternalServices } from '../../engine/externalServices.ts'
import { type CancellationReason, cancelSubscriptionsOf, hasRunningSubscription } from '../memberships/endSubscriptions.ts'
import { hasOtherOwner, lockOwners } from '../staff/owners.ts'
import { isOwner } from './eraseByOperator.ts'
import { erasePerson } from './erasePerson.ts'
import type { PersonChange, PersonRow } from './findOrCreatePerson.ts'

export interface RemovalContext extends PersonChange {
  parameters: ReadonlyMap<string, unknown>
  externalServices: Pick<ExternalServices, 'authorizations'>
  requestId?: string | undefined
  address?: string | undefined
}

/**
 * Cancels the subscriptions of a person before they leave, if the caller has requested it.
 * @throws Problem active_subscription if a subscription is running and the caller has not requested its cancellation
 */
export async function endSubscriptions(
  { writer, now }: PersonChange,
  personId: string,
  { isRequested, reason }: { isRequested: boolean; reason: CancellationReason },
): Promise<void> {
  if (!isRequested && (await hasRunningSubscription(writer, personId))) throw new Problem('active_subscription')
  // This includes subscriptions that end at the end of their period.
  await cancelSubscriptionsOf(writer, { schoolId: writer.schoolId, now, personId, reason })
}

/**
 * Erases a person of the school. Returns the columns to write, undefined if the person is erased already.
 * @throws Problem self_change, last_owner, active_subscription
 */
export async function eraseByStaff(context: RemovalContext, row: PersonRow): Promise<Record<never, never> | undefined> {
  const { writer, caller, now, externalServices, requestId, address } = context
  if (row.erased_at !== null) return undefined
  if (row.id === caller.personId) {
    throw new Problem('self_change', { description: 'You cannot erase yourself. Delete your account instead: DELETE /api/v1/account.' })
  }
  await lockOwners(writer)
  if ((await isOwner(writer, row.id)) && !(await hasOtherOwner(writer, { personId: row.id }))) {
    throw new Problem('last_owner')
  }
  await endSubscriptions(context, row.id, { isRequested: context.parameters.get('cancel_subscriptions') === true, reason: 'staff' })
  await erasePerson(writer, {
    personId: row.id,
    now,
    endGrant: (inside, grant) =>
      externalServices.authorizations.end(inside, grant, {
        by: 'school',
        staff: caller.accountId,
        client: caller.clientId || undefined,
        requestId,
        address,
      }),
  })
  return {}
}
