import { newEntryId } from '../../base/ids.ts'
import type { AuditEntry } from '../../database/tables/audit.ts'
import type { RowChange } from '../../database/undo/capture.ts'
import type { Effect } from '../../database/undo/effect.ts'

/** The entry of a request in the audit trail. */
export interface RecordedEntry {
  id: string
  event: string
  details: Record<string, unknown>
  /** The row version before the write; null for a new row, or for a request without a single row. */
  rowVersion: number | null
  /** Only of requests of apps, of dry runs, and of those that can be taken back. */
  effect?: Effect | undefined
}

/** The activity of a request: its entry in the audit trail, and what it changed. */
export interface Activity {
  id: string
  /** True once the audit trail has, or will have, an entry with this id. */
  isRecorded: boolean
  /** Entries that are written at the end of the request. */
  entries: AuditEntry[]
  /** Its entry in the audit trail, once it is recorded. */
  entry?: RecordedEntry | undefined
  /** The proposal in which the person agreed to the request. */
  approvalId?: string | undefined
  /** Rows that were captured before the end of the request. */
  changes: RowChange[]
  /** The number of e-mails that it has sent so far, and of those that wait. */
  emails: { now: number; held: number }
  /** True if it is taken back together with other requests. */
  isJoined?: boolean
}

/** The proposal whose requests are made. */
export interface Merging {
  approvalId: string
  /** Absent for a single request. */
  joint?: JointActivity
}

/** The activity of several requests, which is taken back as a whole. */
export interface JointActivity {
  id: string
  operations: Set<string>
  /** The entries of the requests. The first one has the id. */
  entries: AuditEntry[]
  changes: RowChange[]
  effects: Effect[]
}

export const newJointActivity = (): JointActivity => ({
  id: newEntryId(),
  operations: new Set(),
  entries: [],
  changes: [],
  effects: [],
})

export const newActivity = (): Activity => ({ id: newEntryId(), isRecorded: false, entries: [], changes: [], emails: { now: 0, held: 0 } })

/** Returns the entries of a request for the audit trail. The first one has what an app removed or overwrote. */
function entriesOf({ entries: [first, ...others], entry }: Activity): AuditEntry[] {
  if (!first) return []
  const { deleted = 0, overwritten = 0 } = entry?.effect?.losses ?? {}
  if (deleted + overwritten === 0) return [first, ...others]
  return [{ ...first, details: { ...first.details, losses: { deleted, overwritten } } }, ...others]
}

/**
 * Adds the entries of a request that can be taken back to the joint activity, which records them when it ends. Returns those that are recorded
 * now.
 */
export function joinEntries(joint: JointActivity | undefined, activity: Activity): AuditEntry[] {
  const entries = entriesOf(activity)
  if (!joint || !activity.isJoined) return entries
  joint.entries.push(...entries)
  return []
}
