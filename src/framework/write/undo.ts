import type { ExternalServices } from '../../policy/externalServices.ts'
import type { SchoolWriter } from '../../store/database.ts'
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
import { undoOf } from '../declare/undo.ts'
import type { Activity } from './activity.ts'

interface Undoable {
  writer: SchoolWriter
  operation: Operation
  activity: Activity
  externalServices: Pick<ExternalServices, 'undo'>
}

/** Runs a change. If its operation can be undone, keeps what it changed under the id of its activity. */
export async function undoably(
  { writer, operation, activity, externalServices }: Undoable,
  change: () => Promise<ApiResponse>,
): Promise<ApiResponse> {
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
