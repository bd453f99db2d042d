import type { School } from './school.ts'

/** What people are written about, and the links that each message carries. Nothing that a stranger typed stands in a message: of an event its hosts wrote the words. */
export interface Messages {
  sign_up: { link: string }
  /** Somebody asked for an account with the address of one that exists. */
  sign_up_known: { sign_in: string; reset: string }
  /** Somebody lets this address work at the school. */
  staff_invited: { link: string }
  /** Somebody put this address down as a student or a member. */
  person_invited: { link: string }
  /** The school has enrolled the person in a course. */
  enrolled: { link: string }
  /** The account will be deleted; until then it can be kept. */
  deletion_scheduled: { link: string }
  password_reset: { link: string }
  password_changed: { reset: string }
  email_change: { link: string }
  /** Somebody asked to change to the address of another account. */
  email_change_known: { sign_in: string }
  /** To the address before. */
  email_changed: Record<never, string>
  /** An event that somebody would have come to does not take place. */
  event_canceled: { title: string; when: string }
  event_canceled_because: { title: string; when: string; reason: string }
  /** Somebody who waited has a seat. */
  rsvp_promoted: { title: string; when: string }
}

export type MessageKind = keyof Messages

/** Whom a message goes to. */
export interface Addressee {
  /** As `mailAddress` answered it. */
  email: string
  /** What is known of the language that they read, the surest first: the message is in the first one that the school has. */
  locales: readonly (string | null | undefined)[]
}

export type SendMessage = <Kind extends MessageKind>(school: School, to: Addressee, kind: Kind, links: Messages[Kind]) => Promise<void>
