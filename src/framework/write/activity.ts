import { newId } from '../../lib/ids.ts'
import type { RowChange } from '../../store/undo/capture.ts'

/** The entry of a request in the audit trail. */
export interface RecordedEntry {
  event: string
  details: Record<string, unknown>
  /** The row version before the write; null for a new row, or for a request without a single row. */
  rowVersion: number | null
}

/** The activity of a request: its entry in the audit trail, and what it changed. */
export interface Activity {
  id: string
  /** True once the audit trail has an entry with this id. */
  isRecorded: boolean
  /** Its entry in the audit trail, once it is recorded. */
  entry?: RecordedEntry | undefined
  /** The approval by which the app makes the request. */
  approvalId?: string | undefined
  /** Rows that were captured before the end of the request. */
  changes: RowChange[]
}

export const newActivity = (): Activity => ({ id: newId(), isRecorded: false, changes: [] })
