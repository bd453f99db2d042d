import type { PersonCaller } from '../../base/caller.ts'
import { toPublicId } from '../../base/ids.ts'
import { Problem } from '../../base/problem.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { recordAudit } from '../../database/tables/audit.ts'
import {
  beginCapture,
  followedBy,
  isOnlyShown,
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
import type { ExternalServices } from '../externalServices.ts'
import type { Activity, JointActivity } from './activity.ts'
import { effectOf, writtenBefore } from './effect.ts'

interface Undoable extends Presentation {
  writer: SchoolWriter
  caller: PersonCaller
  operation: Operation
  activity: Activity
  isDryRun: boolean
  /** True if the transaction has earlier requests. */
  isReplayed?: boolean | undefined
  joint: JointActivity | undefined
  /** True if a change that is too large to be taken back was approved. */
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
 * Runs a change, and describes its effect if an app makes it, if it is tried, or if its operation can be undone. Keeps the effect under the id of
 * its activity, with what taking it back needs.
 * @throws TooLargeToUndo
 */
export async function undoably(undoable: Undoable, change: () => Promise<ApiResponse>): Promise<ApiResponse> {
  const { writer, caller, operation, activity, isDryRun, mayBeFinal, joint } = undoable
  const { undo, apps } = undoable.externalServices
  const days = undo.days()
  const isKept = days > 0 && undoOf(operation) === true
  const isApp = caller.clientId !== ''
  if (!isKept && !isApp && !isDryRun) return await change()
  await beginCapture(writer, isApp ? { activity: activity.id, seconds: apps.outgoingDelay() } : undefined)
  const earlier = undoable.isReplayed ? await writtenBefore(undoable) : undefined
  const response = await change()
  const { entry } = activity
  if (!activity.isRecorded || !entry) return response
  const captured = await takeCaptured(writer)
  const changes = joined([...activity.changes, ...captured.changes])
  const images = changes.filter(({ table }) => !isOnlyShown(table))
  const isTooLarge = isKept && (!captured.isComplete || sizeOf(images) > maxCapturedBytes)
  if (isTooLarge && isApp && !isDryRun && !mayBeFinal) throw new TooLargeToUndo()
  const isUndoable = isKept && !isTooLarge && images.length > 0
  const undoDays = isUndoable ? days : 0
  const effect = await effectOf({ ...undoable, entry, undoDays, isTooLarge, earlier }, { ...captured, changes })
  entry.effect = effect
  if (joint && activity.entries.length > 0) {
    activity.isJoined = true
    joint.operations.add(operation.id)
    joint.changes.push(...images)
    joint.effects.push(effect)
  } else if (days > 0 && (isUndoable || effect.affected.length > 0))
    await saveUndo(writer, { id: activity.id, days, isUndoable, changes: images, effect }, undo)
  return response
}

/** Records a joint activity, and keeps what it changed. */
export async function endJoint(writer: SchoolWriter, joint: JointActivity, undo: ExternalServices['undo']): Promise<void> {
  const [first, ...others] = joint.entries
  const [effect] = joint.effects
  if (!first || !effect) return
  const part = toPublicId('act', joint.id)
  const details = { ...first.details, operations: [...joint.operations] }
  await recordAudit(writer, [
    { ...first, id: joint.id, details },
    ...others.map((entry) => ({ ...entry, id: undefined, details: { ...entry.details, part_of: part } })),
  ])
  const changes = joined(joint.changes)
  const isTooLarge = joint.effects.some((one) => one.isTooLarge) || sizeOf(changes) > maxCapturedBytes
  const whole = { ...effect, changes: joint.effects.flatMap((one) => one.changes) }
  const kept = { id: joint.id, days: undo.days(), isUndoable: !isTooLarge && changes.length > 0, changes, effect: whole }
  await saveUndo(writer, kept, undo)
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
