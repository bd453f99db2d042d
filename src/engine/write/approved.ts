import { Problem } from '../../base/problem.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { useApproval, useKind } from '../../database/tables/approvals.ts'
import type { UsedApproval } from '../call.ts'
import type { Activity } from './activity.ts'

const again = (): Problem =>
  new Problem('approval_required', {
    description: 'The person decided about an earlier request, or the object has changed since. Send the request again.',
  })

/**
 * Uses the decision of the person, within the transaction of the request: it counts once.
 * @throws Problem approval_required if it was used, or is too old
 */
export async function requireUnused(writer: SchoolWriter, { id, isKind }: UsedApproval): Promise<void> {
  if (id !== undefined && !(await (isKind ? useKind : useApproval)(writer, id))) throw again()
}

/** @throws Problem approval_required if the request does something other than the person decided about */
export function requireDecided({ activity: { entry } }: { activity: Activity }, { id, rowVersion }: UsedApproval): void {
  if (id === undefined ? entry !== undefined : (entry?.rowVersion ?? null) !== rowVersion) throw again()
}
