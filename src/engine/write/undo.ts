import type { PersonCaller } from '../../base/caller.ts'
import { Problem } from '../../base/problem.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import {
  beginCapture,
  followedBy,
  keyText,
  maxCapturedBytes,
  type RowChange,
  takeCaptured,
  withoutUnchanged,
} from '../../database/undo/capture.ts'
import { saveUndo } from '../../database/undo/records.ts'
import type { ApiResponse } from '../call.ts'
import { type Operation, undoOf } from '../declare/operations.ts'
import type { Presentation } from '../declare/rowSerializer.ts'
import type { Activity } from './activity.ts'
import { lossesIn } from './losses.ts'

interface Undoable extends Presentation {
  writer: SchoolWriter
  caller: PersonCaller
  operation: Operation
  activity: Activity
  /** True if a change that is too large to be taken back is rolled back in any case, or was approved. */
  mayBeFinal: boolean
}

/** A change of an app is too large to be taken back later. It is rolled back, and the person decides about it. */
export class TooLargeToUndo extends Problem {
  constructor() {
    super('approval_required', {
      description: 'This changes more than can be taken back later. Send it again in parts, or as it is: then the person decides about it.',
    })
  }
}

/**
 * Runs a change, and keeps what it changed under the id of its activity, to show it and, if its operation can be undone, to take it back. Counts what
 * an app removes and overwrites.
 * @throws TooLargeToUndo
 */
export async function undoably(undoable: Undoable, change: () => Promise<ApiResponse>): Promise<ApiResponse> {
  const { writer, caller, operation, activity, mayBeFinal } = undoable
  const { undo, apps } = undoable.externalServices
  const days = undo.days()
  const isKept = days > 0 && undoOf(operation) === true
  const isApp = caller.clientId !== ''
  if (!isKept && !isApp) return await change()
  await beginCapture(writer, isApp ? { activity: activity.id, seconds: apps.outgoingDelay() } : undefined)
  const response = await change()
  if (!activity.isRecorded) return response
  const captured = await takeCaptured(writer)
  const changes = joined([...activity.changes, ...captured.changes])
  const isTooLarge = isKept && (!captured.isComplete || sizeOf(changes) > maxCapturedBytes)
  if (isTooLarge && isApp && !mayBeFinal) throw new TooLargeToUndo()
  const own = operation.resource.table
  const shown = await undo.show(writer, changes, own, undoable)
  if (activity.entry) {
    const isObject = (table: string): boolean => undo.typesOf(table).length > 0
    const losses = lossesIn(changes, { own, isObject })
    activity.entry.changes = shown
    if (isApp) activity.entry.losses = { ...losses, any: losses.any || !captured.isComplete, isTooLarge }
  }
  const isUndoable = isKept && !isTooLarge && changes.length > 0
  if (days > 0 && (isUndoable || shown.length > 0)) await saveUndo(writer, { id: activity.id, days, isUndoable, changes, shown }, undo)
  return isUndoable ? { ...response, undoDays: days } : response
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
