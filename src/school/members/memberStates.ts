import { Problem } from '../../base/problem.ts'
import { endSubscriptions } from '../students/eraseByStaff.ts'
import type { PersonChange } from '../students/personWriting.ts'

interface MemberRow {
  id: string
  member_status: string
}

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
