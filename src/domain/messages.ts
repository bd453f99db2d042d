import type { School } from '../policy/school.ts'

/** What people are written about, and the links that each message carries. Nothing that a stranger typed stands in a message. */
export interface Messages {
  sign_up: { link: string }
  /** Somebody asked for an account with the address of one that exists. */
  sign_up_known: { sign_in: string; reset: string }
  password_reset: { link: string }
  password_changed: { reset: string }
  email_change: { link: string }
  /** Somebody asked to change to the address of another account. */
  email_change_known: { sign_in: string }
  /** To the address before. */
  email_changed: Record<never, string>
}

export type MessageKind = keyof Messages

/** Sends a message to an address that `mailAddress` answered. */
export type SendMessage = <Kind extends MessageKind>(school: School, to: string, kind: Kind, links: Messages[Kind]) => Promise<void>
