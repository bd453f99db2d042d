import type { EmailValue } from './emailValues.ts'

const hour = 3600

interface EmailDeclaration {
  /** The placeholders of the templates, except for `{school}`, the name of the school. */
  values: readonly string[]
  /** How long the link in the e-mail works, in seconds. A later delivery is not attempted. Default: the link does not expire. */
  linkSeconds?: number
  /** True if it waits when an app causes it, so that people can stop it. */
  waits?: true
  /** True if a person waits for it, or it is about the security of an account: no other e-mail delays it. */
  urgent?: true
}

/**
 * The e-mails and the values that their senders pass. The templates are in `views/mails`.
 * Hosts write the texts of an event, and staff the title of a form and the titles of posts, courses and lessons. The other untrusted values are
 * the name of an app, as `quotedName` shortens it, and the name and the text of a comment, as the sender shortens them.
 */
export const emailKinds = {
  sign_up: { values: ['link'], linkSeconds: hour, urgent: true },
  sign_up_known: { values: ['sign_in', 'reset'], urgent: true },
  staff_invited: { values: ['link'], waits: true },
  person_invited: { values: ['link'], waits: true },
  enrolled: { values: ['course', 'link'], waits: true },
  password_reset: { values: ['link'], linkSeconds: hour, urgent: true },
  email_change: { values: ['link'], linkSeconds: hour, urgent: true },
  email_change_known: { values: ['sign_in'], urgent: true },

  /** To owners and admins, at most once an hour for each form. */
  form_submissions: { values: ['form', 'submissions', 'answers'] },
  /** Requests of apps that wait for the decision of the person. */
  requests_waiting: { values: ['count', 'link'] },
  /** Apps that did something unusual. They chose their names. */
  apps_unusual: { values: ['signals', 'school_apps'] },
  /** To the address in a form, which can be that of somebody else: nothing of it is what the sender entered. */
  form_received: { values: ['form'] },
  /** With the answers, shortened and without links. */
  form_received_copy: { values: ['form', 'copy'] },

  // About events. `occasion` shows the time and place; with a calendar entry, the e-mail has it as a file.
  /** The person has registered, or the school has registered the person. */
  rsvp_confirmed: { values: ['title', 'occasion', 'cannot_come'], waits: true },
  event_canceled: { values: ['title', 'occasion'], waits: true },
  event_canceled_because: { values: ['title', 'occasion', 'reason'], waits: true },
  event_moved: { values: ['title', 'occasion', 'before', 'cannot_come'], waits: true },
  /** A person on the waiting list has a seat. */
  rsvp_promoted: { values: ['title', 'occasion', 'cannot_come'], waits: true },
  /** A seat of an event with a price is held for a person on the waiting list. */
  rsvp_offered: { values: ['title', 'occasion', 'until'], waits: true },
  rsvp_offered_checkout: { values: ['title', 'occasion', 'until', 'checkout'], waits: true },
  /** Before an event. */
  event_reminder: { values: ['title', 'occasion', 'cannot_come', 'notifications'] },

  // News at the school and in the person's courses.
  post_published: { values: ['title', 'link'], waits: true },
  lessons_published: { values: ['course', 'lessons', 'link'], waits: true },
  /** The quiz was graded again, after the person had seen a result. */
  result_changed: { values: ['lesson', 'link'], waits: true },
  comment_replied: { values: ['title', 'count', 'author', 'comment', 'link'], waits: true },
  post_commented: { values: ['title', 'count', 'author', 'comment', 'link'], waits: true },

  receipt: { values: ['number', 'items', 'link'], waits: true },
  /** For an order without anything to pay, which has no invoice. */
  receipt_free: { values: ['number', 'items', 'link'], waits: true },
  refund: { values: ['number', 'items', 'link'], waits: true },

  // An app got access to an account. The kind says how the app became known to the school.
  app_connected: { values: ['app', 'ending', 'permissions', 'facts', 'apps', 'reset'] },
  /** `imitated` is the name or the word in the name of the app that belongs to somebody else. */
  app_connected_imitating: { values: ['app', 'ending', 'imitated', 'permissions', 'facts', 'apps', 'reset'] },
  app_connected_website: { values: ['app', 'host', 'permissions', 'facts', 'apps', 'reset'] },
  app_connected_approved: { values: ['app', 'permissions', 'facts', 'apps', 'reset'] },

  // About the security of an account. `facts` shows when and from where something was done.
  /** A sign-in from a browser that has not signed in to the account before. */
  new_sign_in: { values: ['facts', 'reset', 'apps'] },
  password_changed: { values: ['facts', 'reset'] },
  /** Sent to the previous address. `contact` is the contact of the school. */
  email_changed: { values: ['facts', 'contact'], urgent: true },
  email_changed_to: { values: ['facts', 'contact'], urgent: true },
  passkey_added: { values: ['facts', 'reset', 'security'] },
  passkey_removed: { values: ['facts', 'reset', 'security'] },
  authenticator_added: { values: ['facts', 'reset', 'security'] },
  authenticator_removed: { values: ['facts', 'reset', 'security'] },
  recovery_code_used: { values: ['left', 'facts', 'security', 'reset'] },
  recovery_codes_renewed: { values: ['facts', 'reset', 'security'] },
  /** `app` is the app that requested the deletion. Until the account is deleted, the deletion can be cancelled. */
  deletion_scheduled: { values: ['app', 'facts', 'link'], urgent: true },
  deletion_requested: { values: ['facts', 'apps', 'reset'] },
  deletion_canceled: { values: ['facts', 'reset'] },
} as const satisfies Record<string, EmailDeclaration>

export type EmailKind = keyof typeof emailKinds

/** Returns how long the delivery of an e-mail is attempted, in seconds. */
export function emailLifetimeSeconds(kind: EmailKind): number {
  const { linkSeconds = 3 * 24 * hour }: EmailDeclaration = emailKinds[kind]
  return linkSeconds
}

export function canWait(kind: EmailKind): boolean {
  const { waits }: EmailDeclaration = emailKinds[kind]
  return waits === true
}

export function isUrgent(kind: EmailKind): boolean {
  const { urgent }: EmailDeclaration = emailKinds[kind]
  return urgent === true
}

export type EmailValues<Kind extends EmailKind> = Kind extends EmailKind
  ? { [Name in (typeof emailKinds)[Kind]['values'][number]]: EmailValue<Name> }
  : never
