import { Problem } from '../../lib/problem.ts'
import { endSubscriptions } from '../students/eraseByStaff.ts'
import { type PersonChange, requireAuthorityOver } from '../students/personWriting.ts'

interface MemberRow {
  id: string
  member_status: string
}

/**
 * Whether a member may be shut out of the community.
 * @throws Problem self_change, access_denied, or invalid_state for an owner
 */
export async function blockMember(
  change: PersonChange,
  row: MemberRow,
  reason: string | null,
): Promise<{ member_status_reason: string | null }> {
  if (row.id === change.caller.personId) throw new Problem('self_change', { description: 'Nobody blocks themselves.' })
  await requireAuthorityOver(change, row.id)
  const owner = await change.writer
    .selectFrom('staff')
    .select('id')
    .where('school_id', '=', change.school.id)
    .where('person_id', '=', row.id)
    .where('role', '=', 'owner')
    .where('status', '=', 'active')
    .executeTakeFirst()
  if (owner) throw new Problem('invalid_state', { description: 'An owner of the school is not blocked.' })
  return { member_status_reason: reason }
}

/**
 * Takes a member out of the community, and what they pay for where that is said.
 * @throws Problem access_denied, active_subscription
 */
export async function removeMember(
  change: PersonChange,
  row: MemberRow,
  { reason, isAsked }: { reason: string | null; isAsked: boolean },
): Promise<{ member_status_reason: string | null }> {
  await requireAuthorityOver(change, row.id)
  await endSubscriptions(change, row.id, { isRequested: isAsked, reason: 'staff' })
  return { member_status_reason: reason }
}

/**
 * A member goes by themselves, once nothing is paid for any more.
 * @throws Problem active_subscription
 */
export async function leaveSchool(change: PersonChange, row: MemberRow): Promise<Record<never, never>> {
  await endSubscriptions(change, row.id, { isRequested: false, reason: 'other' })
  return {}
}
