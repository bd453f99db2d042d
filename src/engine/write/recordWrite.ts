import { toPublicId } from '../../base/ids.ts'
import type { AuditEntry } from '../../database/tables/audit.ts'
import { writeEvent } from '../../database/tables/auditEvents.ts'
import { type ChangeAction, changeActionOf } from '../../database/tables/changeActions.ts'
import { recordChange } from '../../database/tables/changeLog.ts'
import type { Operation } from '../declare/operations.ts'
import type { Write } from './write.ts'

export interface RecordedWrite {
  /** The action in the audit trail: created, updated, deleted or the name of the operation. */
  action: string
  /** The action in the change feed, if it does not follow from `action`. */
  change?: ChangeAction | undefined
  /** The row; absent for the collection as a whole. */
  id?: string
  ids?: readonly string[]
  /** Versions before and after; null if the row did not exist before, or does not exist after. */
  before: number | null
  after: number | null
  reason?: string | undefined
  /** The title of the row, or its code. Never a name of a person: the trail outlives the row. */
  label?: string | undefined
}

/** Returns the title of a row, or its code. Names are left out: they can be those of people. */
export function labelOf(row: object): string | undefined {
  const { title, code }: { title?: unknown; code?: unknown } = row
  const label = title ?? code
  return typeof label === 'string' ? label.slice(0, 200) : undefined
}

/** Records a write in the change feed, and in the audit trail at the end of the request. */
export async function recordWrite(write: Write<Operation>, recorded: RecordedWrite): Promise<void> {
  const { writer, operation } = write
  const { action, change = changeActionOf(action), id, before, after } = recorded
  if (!write.isPart) write.activity.entries.push(auditEntry(write, recorded))
  if (id === undefined) return
  await recordChange(writer, {
    type: operation.resource.object,
    resource_id: id,
    action: change,
    version: after ?? before ?? 1,
  })
}

function auditEntry(
  { school, caller, operation, requestId, address, agentReason, activity }: Write<Operation>,
  { action, id, ids, before, after, reason, label }: RecordedWrite,
): AuditEntry {
  const { object, idPrefix } = operation.resource
  const entryId = activity.isRecorded ? undefined : activity.id
  activity.isRecorded = true
  const event = writeEvent(object, action)
  const details = {
    operation: operation.id,
    scope: operation.scope,
    role: caller.role,
    resource: {
      type: object,
      ...(id !== undefined && { id: toPublicId(idPrefix, id) }),
      ...(label !== undefined && { label }),
      ...(ids && { ids: ids.map((one) => toPublicId(idPrefix, one)) }),
    },
    before_version: before,
    after_version: after,
    ...(reason !== undefined && { reason }),
    ...(agentReason !== undefined && { agent_reason: agentReason }),
    ...(activity.approvalId !== undefined && { approval: activity.approvalId }),
    ...(caller.operator !== undefined && { operator: caller.operator }),
  }
  activity.entry ??= { event, details, rowVersion: before }
  return {
    id: entryId,
    school_id: school.id,
    event,
    account_id: caller.accountId,
    // Empty on the account pages, where people act themselves.
    client_id: caller.clientId || undefined,
    grant_id: caller.grantId || undefined,
    request_id: requestId,
    address,
    details,
  }
}
