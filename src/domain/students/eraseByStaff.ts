import { Problem } from '../../lib/problem.ts'
import type { ExternalServices } from '../../policy/externalServices.ts'
import { type CancellationReason, cancelSubscriptionsOf, hasRunningSubscription } from '../memberships/endSubscriptions.ts'
import { hasOtherOwner, lockOwners } from '../staff/owners.ts'
import { erasePerson } from './erasePerson.ts'
import { type PersonChange, type PersonRow, requireAuthorityOver } from './personWriting.ts'

/** What the end of a person at the school needs. */
export interface Ending extends PersonChange {
  parameters: ReadonlyMap<string, unknown>
  externalServices: Pick<ExternalServices, 'authorizations'>
}

/**
 * Ends what a person pays for before they go, where the caller says so.
 * @throws Problem active_subscription
 */
export async function endSubscriptions(
  { sql, school, now }: PersonChange,
  personId: string,
  { isAsked, reason }: { isAsked: boolean; reason: CancellationReason },
): Promise<void> {
  if (!isAsked && (await hasRunningSubscription(sql, school.id, personId))) throw new Problem('active_subscription')
  // Those too that end anyway.
  await cancelSubscriptionsOf(sql, { schoolId: school.id, now, personId, reason })
}

/**
 * Erases a person of the school. Answers the columns that follow; undefined for who was erased before.
 * @throws Problem self_change, access_denied for staff unless an owner asks, last_owner, active_subscription
 */
export async function eraseByStaff(ending: Ending, row: PersonRow): Promise<Record<never, never> | undefined> {
  const { sql, writer, school, caller, now, externalServices } = ending
  if (row.erased_at !== null) return undefined
  if (row.id === caller.personId) {
    throw new Problem('self_change', { description: 'Nobody erases themselves here. Delete your account instead: DELETE /api/v1/account.' })
  }
  await requireAuthorityOver(ending, row.id, ['owner', 'admin', 'lecturer'])
  await lockOwners(writer, school.id)
  if ((await isOwner(ending, row.id)) && !(await hasOtherOwner(writer, { schoolId: school.id, personId: row.id }))) {
    throw new Problem('last_owner')
  }
  await endSubscriptions(ending, row.id, { isAsked: ending.parameters.get('cancel_subscriptions') === true, reason: 'staff' })
  await erasePerson(sql, {
    schoolId: school.id,
    personId: row.id,
    now,
    endGrant: (within, schoolId, grantId) => externalServices.authorizations.end(within, schoolId, grantId),
  })
  return {}
}

async function isOwner({ writer, school }: PersonChange, personId: string): Promise<boolean> {
  const owner = await writer
    .selectFrom('staff')
    .select('id')
    .where('school_id', '=', school.id)
    .where('person_id', '=', personId)
    .where('role', '=', 'owner')
    .where('status', '=', 'active')
    .executeTakeFirst()
  return owner !== undefined
}
