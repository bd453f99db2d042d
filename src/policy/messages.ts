import type { School } from './school.ts'

/**
 * The messages to people, and what each carries. Hosts write the words of an event. The only text that a stranger chooses is the name of
 * an app, as `quotedName` shortens it.
 */
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
  /** The account will be deleted; until then it can be kept. `app` asked for it. */
  deletion_scheduled: { link: string; app: string }
  password_reset: { link: string }
  password_changed: { reset: string }
  email_change: { link: string }
  /** Somebody asked to change to the address of another account. */
  email_change_known: { sign_in: string }
  /** To the previous address. `contact` is how to reach the school. */
  email_changed: { contact: string }
  /** An event that somebody would have come to does not take place. */
  event_canceled: { title: string; when: string }
  event_canceled_because: { title: string; when: string; reason: string }
  /** Somebody who waited has a seat. */
  rsvp_promoted: { title: string; when: string }
}

/** Returns a name that its owner chose, for a message: short, without quotes, and with nothing that mail programs turn into a link. */
export const quotedName = (name: string): string =>
  Array.from(name.replace(/["“”„«»]/g, "'").replace(/[.:/@]+(?=\S)/g, '$& '))
    .slice(0, 80)
    .join('')

export type MessageKind = keyof Messages

/** Whom a message goes to. */
export interface Recipient {
  /** As `deliverableEmail` answered it. */
  email: string
  /** What is known of the language that they read, the surest first: the message is in the first one that the school has. */
  locales: readonly (string | null | undefined)[]
}

export type SendMessage = <Kind extends MessageKind>(school: School, to: Recipient, kind: Kind, links: Messages[Kind]) => Promise<void>
