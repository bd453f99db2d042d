/** Why a person decides before an app does something: it cannot be undone, changes who has access, sends e-mails, or costs money. */
export type AskReason = Exclude<AskReasonOf, 'many' | 'rule' | 'second_person'>

export type AskReasonOf = (typeof askReasons)[number]

/**
 * `many`: whatever the operation, it changes many rows. `rule`: it exceeds what the school allows without a decision. `second_person`: it deletes,
 * and another owner or admin than the person behind the app decides.
 */
export const askReasons = ['irreversible', 'access', 'outward', 'money', 'many', 'rule', 'second_person'] as const

/** The effects of a request of an app, which a person reads before they decide. */
export interface ApprovalSummary {
  /** Why the app has to ask first. Null in a proposal, about which the person decides in any case. */
  reason: AskReasonOf | null
  /** The event and the details of the audit trail. */
  event: string
  details: Record<string, unknown>
  /** Objects by their type and the action of the change feed. */
  affected: { type: string; action: string; count: number }[]
  emails: number
  /** For how many days it could be taken back; 0 if it could not be. */
  undo_days: number
}

/** A request that waits, in the form in which it is hashed, encrypted and shown. */
export interface RequestContent {
  /** The URL with its query. */
  target: string
  /** Values from the URL. */
  parameters: Readonly<Record<string, unknown>>
  /** The body: JSON, or the text of a CSV file. */
  body: unknown
  ifMatch: string
  /** True if the body is a CSV file. */
  isCsv?: boolean
  /** Why the app makes the request, in its own words. */
  reason?: string
}
