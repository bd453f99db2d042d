import { Problem } from '../../lib/problem.ts'
import { useApproval } from '../../store/approvals.ts'
import type { SchoolWriter } from '../../store/database.ts'
import type { UsedApproval } from '../call.ts'
import type { Activity } from './activity.ts'

const again = 'The person decided about an earlier request, or the object has changed since. Send the request again.'

/**
 * Uses the decision of the person, within the transaction of the request: it counts once.
 * @throws Problem approval_required if it was used, or is too old
 */
export async function requireUnused(writer: SchoolWriter, { id }: UsedApproval): Promise<void> {
  if (!(await useApproval(writer, id))) throw new Problem('approval_required', { description: again })
}

/** @throws Problem approval_required if the row has another version than that which the person decided about */
export function requireSameVersion({ activity }: { activity: Activity }, { rowVersion }: UsedApproval): void {
  if ((activity.entry?.rowVersion ?? null) !== rowVersion) throw new Problem('approval_required', { description: again })
}
