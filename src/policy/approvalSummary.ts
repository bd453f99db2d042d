/**
 * Why a person decides before an app does something: it cannot be undone, it changes who has access, or it leaves the school (people receive
 * e-mails, or it costs money).
 */
export type AskReason = 'irreversible' | 'access' | 'outward'

/** The effects of a request of an app, which a person reads before they decide. */
export interface ApprovalSummary {
  /** `many`: whatever the operation, it changes many rows. */
  reason: AskReason | 'many'
  /** The event and the details of the audit trail. */
  event: string
  details: Record<string, unknown>
  /** Objects by their type and the action of the change feed. */
  affected: { type: string; action: string; count: number }[]
  emails: number
  /** For how many days it could be taken back; 0 if it could not be. */
  undo_days: number
}
