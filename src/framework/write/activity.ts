import { newId } from '../../lib/ids.ts'
import type { RowChange } from '../../store/undo/capture.ts'

/** The activity of a request: its entry in the audit trail, and what it changed. */
export interface Activity {
  id: string
  /** True once the audit trail has an entry with this id. */
  isRecorded: boolean
  /** Rows that were captured before the end of the request. */
  changes: RowChange[]
}

export const newActivity = (): Activity => ({ id: newId(), isRecorded: false, changes: [] })
