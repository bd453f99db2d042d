import { fieldError, Problem } from '../../base/problem.ts'
import type { RowChange } from '../../database/undo/capture.ts'

/** A row or a field that stays as it is. */
export interface Kept {
  table: string
  id: string | undefined
  /** The key of the row. A row and its text have the same. */
  row: string
  /** Undefined for a whole row. */
  field: string | undefined
  reason: KeptReason
  message: string
  /** The change that taking back would have made: from the present value to the former one. */
  change?: RowChange
}

export const keptReasons = {
  changed_since: 'was changed since',
  deleted_since: 'was deleted since',
  parent_deleted: 'stays deleted, because what it belonged to was deleted since',
  named_deleted: 'stays, because what it was before was deleted since',
  exists: 'exists again',
  in_use: 'stays, because it has',
} as const

export type KeptReason = keyof typeof keptReasons

/** A row or a field that stays, in the words of the API. */
export interface ExplainedKept {
  type: string
  id: string | null
  field: string | null
  reason: KeptReason
  message: string
  /** Values as text or JSON; null for a whole row, and for readers who may not see them. */
  present: string | null
  restored: string | null
  at: string | null
  by: string | null
  activity: string | null
}

/** Returns the error for what stays. With `isRest`, nothing else is left to take back. */
export function conflict(conflicts: readonly ExplainedKept[], isRest: boolean): Problem {
  const [first] = conflicts
  const details = conflicts
    .slice(0, 20)
    .map(({ reason, message, ...meta }) => ({ ...fieldError(meta.field ?? meta.type, reason, message), meta }))
  if (first && conflicts.every(({ reason }) => reason === 'in_use')) {
    const end = isRest ? 'Nothing else is left to take back.' : 'Remove that first.'
    // The description of a problem is plain ASCII.
    const reason = /^[ !#-[\]-~]*$/.test(first.message) ? first.message : 'what was added is used by others: see details'
    return new Problem('resource_in_use', { description: `${capitalised(reason)}. ${end}`, details })
  }
  const description = 'Everything that this request changed was changed or deleted since, or is used. Nothing is left to take back.'
  return new Problem('changed_since', { ...(isRest && { description }), details })
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
