import { newId } from '../../lib/ids.ts'
import {
  beginCapture,
  followedBy,
  keyText,
  maxCapturedBytes,
  type RowChange,
  takeCaptured,
  withoutUnchanged,
} from '../../store/undo/capture.ts'
import { saveUndo } from '../../store/undo/records.ts'
import type { ApiResponse } from '../call.ts'
import type { Operation } from '../declare/operations.ts'
import type { Write } from './write.ts'

/** The activity of a request: its entry in the audit trail, and what it changed. */
export interface Activity {
  id: string
  /** True once the audit trail has an entry with this id. */
  isRecorded: boolean
  /** Rows that were captured before the end of the request. */
  changes: RowChange[]
}

export const newActivity = (): Activity => ({ id: newId(), isRecorded: false, changes: [] })

/** Says whether what an operation changes can be taken back for some days, or why not. */
export const undoOf = (operation: Operation): true | string =>
  ('rules' in operation && 'undo' in operation.rules && operation.rules.undo) || operation.resource.undo || undeclared

/** What `undoOf` says of an operation for which nothing is declared. */
export const undeclared = 'It is not declared.'

/** Runs a change. If its operation can be undone, keeps what it changed under the id of its activity. */
export async function undoably(write: Write<Operation>, change: () => Promise<ApiResponse>): Promise<ApiResponse> {
  const { writer, operation, activity, externalServices } = write
  const days = externalServices.undo.days()
  if (days === 0 || undoOf(operation) !== true) return await change()
  await beginCapture(writer)
  const response = await change()
  const captured = activity.isRecorded ? await takeCaptured(writer) : undefined
  const changes = captured && joined([...activity.changes, ...captured])
  if (!changes || changes.length === 0 || sizeOf(changes) > maxCapturedBytes) return response
  await saveUndo(writer, { id: activity.id, days, changes }, externalServices.undo)
  return { ...response, undoDays: days }
}

/** Joins changes of the same row, in their order. */
function joined(changes: readonly RowChange[]): RowChange[] {
  const rows = new Map<string, RowChange>()
  for (const change of changes) {
    const id = keyText(change.table, change.key)
    const earlier = rows.get(id)
    rows.set(id, earlier ? followedBy(earlier, change) : change)
  }
  return [...rows.values()].flatMap(withoutUnchanged)
}

const sizeOf = (changes: readonly RowChange[]): number => changes.reduce((sum, change) => sum + JSON.stringify(change).length, 0)
