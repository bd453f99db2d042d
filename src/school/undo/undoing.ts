import type { RowChange } from '../../database/undo/capture.ts'
import type { UndoCall } from '../../engine/externalServices.ts'
import type { TakenBack } from './takeBack.ts'

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
  rows: { type: string; id: string; action: TakenBack['action'] }[]
  rows_count: number
  kept: { type: string; id: string | null; field: string | null; reason: string; message: string }[]
  replaced: { type: string; id: string; field: string; value: string | null }[]
  failed: { id: string; error: string; error_description: string }[]
  next: string | null
}
