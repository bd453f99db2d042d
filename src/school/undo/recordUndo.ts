import { toPublicId } from '../../base/ids.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { recordAudit } from '../../database/tables/audit.ts'
import { writeEvent } from '../../database/tables/auditEvents.ts'
import { changeActionOf } from '../../database/tables/changeActions.ts'
import { recordChanges } from '../../database/tables/changeLog.ts'
import type { RowChange } from '../../database/undo/capture.ts'
import type { UndoableEntry } from '../../database/undo/records.ts'
import type { ExternalServices, StateChange, UndoCall } from '../../engine/externalServices.ts'
import type { ExplainedKept } from './kept.ts'
import type { TakenBack } from './takeBack.ts'

export const activityId = (id: string): string => toPublicId('act', id)

/** Records the rows that were taken back in the change feed. */
export async function recordRows(
  writer: SchoolWriter,
  undo: ExternalServices['undo'],
  rows: readonly TakenBack[],
  states: readonly StateChange[],
): Promise<void> {
  const stateOf = new Map(states.map(({ type, id, action }) => [`${type} ${id}`, changeActionOf(action)]))
  const versioned = rows.flatMap(({ table, id, action, version }) =>
    id === undefined || version === undefined
      ? []
      : undo.typesOf(table).map((type) => ({ type, action: stateOf.get(`${type} ${id}`) ?? action, id, version })),
  )
  for (const group of Map.groupBy(versioned, ({ type, action }) => `${type} ${action}`).values()) {
    const [first] = group
    if (first) await recordChanges(writer, { type: first.type, action: first.action }, group)
  }
}

/** Records changes of states under the names that they have elsewhere, such as `course.publish`. */
export async function recordStates(undoing: Undoing, entry: UndoableEntry, states: readonly StateChange[]): Promise<void> {
  const { writer, externalServices, activity } = undoing
  await recordAudit(
    writer,
    states.map(({ table, id, type, action }) => ({
      ...entryOf(undoing),
      event: writeEvent(type, action),
      details: {
        resource: { type, id: externalServices.undo.publicId(table, id) },
        undone: [activityId(entry.id)],
        undone_by: activityId(activity.id),
      },
    })),
  )
}

const entryOf = ({ school, caller, requestId, address }: Undoing) => ({
  school_id: school.id,
  account_id: caller.accountId,
  client_id: caller.clientId || undefined,
  grant_id: caller.grantId || undefined,
  request_id: requestId,
  address,
})

export async function recordUndo(
  undoing: Undoing,
  operation: 'undoActivity' | 'undoActivities',
  entries: readonly UndoableEntry[],
  result: UndoResult,
): Promise<void> {
  const { writer, activity, agentReason } = undoing
  const [first] = entries
  const only = entries.length === 1 ? first : undefined
  const [taken = ''] = only?.operations ?? []
  const event = 'activity.undone'
  const details = {
    operation,
    operations: [...new Set(entries.flatMap(({ operations }) => operations))],
    resource: only?.resource ?? { type: 'activity', ids: result.undone },
    ...(only && {
      reverses: only.reverses
        ? { ...only.reverses, isAgain: !only.reverses.isAgain }
        : { operation: taken, event: only.event, isAgain: false },
    }),
    undone: result.undone,
    rows: result.affected.reduce((sum, { count }) => sum + count, 0),
    ...(agentReason !== undefined && { agent_reason: agentReason }),
    ...(activity.approvalId !== undefined && { approval: activity.approvalId }),
  }
  await recordAudit(writer, [{ ...entryOf(undoing), id: activity.id, event, details }])
  activity.isRecorded = true
  activity.entry = { event, details, rowVersion: null }
}

/** The request that takes something back, as the framework passes it to rules. */
export interface Undoing extends UndoCall {
  /** Its own entry in the audit trail, and what it changed: that can be taken back as well. */
  activity: {
    id: string
    isRecorded: boolean
    changes: RowChange[]
    entry?: { event: string; details: Record<string, unknown>; rowVersion: number | null } | undefined
    approvalId?: string | undefined
  }
  requestId?: string | undefined
  address?: string | undefined
  agentReason?: string | undefined
}

export interface UndoResult {
  /** The activity of taking back; null if nothing was taken back. */
  id: string | null
  undone: string[]
  affected: { type: string; action: TakenBack['action']; count: number }[]
  rows: { type: string; id: string; action: TakenBack['action']; label: string | null }[]
  kept: ExplainedKept[]
  replaced: { type: string; id: string; field: string; value: string | null }[]
  failed: { id: string; error: string; error_description: string }[]
  next: string | null
}
