import type { ChangeAction } from '../tables/changeActions.ts'
import type { ShownChange } from './capture.ts'

/** Why a person decides before an app does something: it cannot be undone, changes who has access, sends e-mails, or costs money. */
export type AskReason = Exclude<AskReasonOf, 'many' | 'rule' | 'second_person'>

export type AskReasonOf = (typeof askReasons)[number]

/**
 * `many`: whatever the operation, it changes many rows. `rule`: it exceeds what the school allows without a decision. `second_person`: it deletes,
 * and another owner or admin than the person behind the app decides.
 */
export const askReasons = ['irreversible', 'access', 'outward', 'money', 'many', 'rule', 'second_person'] as const

/** The effect of a write: described once, within its transaction, of a request in earnest and of a dry run alike. */
export interface Effect {
  operation: string
  /** The event of the audit trail. */
  event: string
  target: {
    type: string
    /** The public id; null for an operation on many objects. */
    id: string | null
    /** The title or code. Null for people. */
    label: string | null
    /** The public ids of the objects of an operation on many. */
    ids: readonly string[]
  }
  /** The changed objects in the words of the API, the most important first. */
  changes: readonly ShownChange[]
  /** The number of changed objects by type and action of the change feed, with those that were deleted together with another one. */
  affected: readonly AffectedObjects[]
  /** The number of people of whom something was changed. */
  people: number
  /** E-mails that leave with the request, and those that jobs send afterwards. */
  emails: { now: number; later: number; laterAt: string | null }
  webhooks: number
  losses: Losses
  /** For how many days it can be taken back; 0 if it cannot. */
  undoDays: number
  /** True if it could be taken back if it were smaller. */
  isTooLarge: boolean
  /** Why a person should decide first: it loses data, or concerns access, money or others. Null if there is no reason. */
  reason: AskReason | 'many' | null
}

export interface AffectedObjects {
  type: string
  action: ChangeAction
  count: number
}

/** The objects that a request removed and overwrote. */
export interface Losses {
  /** Objects that it deleted, and people whom it erased. Rows of people that fall with an object of the school, such as their progress, do not count. */
  deleted: number
  /** Objects of which it replaced or emptied a value. */
  overwritten: number
  /** True if any row that was there is gone or changed, in whatever table. */
  any: boolean
}
