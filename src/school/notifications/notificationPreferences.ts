import type { EmailKind } from '../../base/mail/emailKinds.ts'

interface Preference {
  /** The e-mails that it controls, for the API. */
  about: string
  emails: readonly EmailKind[]
  /** True for marketing: these e-mails are sent only to people who agreed, with this preference or with `marketing_consent`. */
  isMarketing?: boolean
  /** True if people cannot turn these e-mails off. */
  isRequired?: boolean
}

/** The e-mails that people choose, in the order of the account page. The keys are those of the API. */
export const notificationPreferences = {
  course_activity: {
    about: 'New lessons in your courses, and results of quizzes that were graded again.',
    emails: ['lessons_published', 'result_changed'],
  },
  comment_replies: { about: 'Replies to your comments, and comments on your posts.', emails: ['comment_replied', 'post_commented'] },
  event_reminders: { about: 'Upcoming events.', emails: ['event_reminder'] },
  product_updates: {
    about: 'News about the school: new posts that you can read. Needs your choice or `marketing_consent`.',
    emails: ['post_published'],
    isMarketing: true,
  },
  billing: { about: 'Receipts and refunds; cannot be turned off.', emails: ['receipt', 'receipt_free', 'refund'], isRequired: true },
} as const satisfies Record<string, Preference>

type Preferences = typeof notificationPreferences

/** A preference that people can turn off. */
export type OptionalPreference = {
  [Name in keyof Preferences]: Preferences[Name] extends { isRequired: true } ? never : Name
}[keyof Preferences]

const isOptional = (name: string): name is OptionalPreference => Object.hasOwn(notificationPreferences, name) && name !== 'billing'

export const optionalPreferences: readonly OptionalPreference[] = Object.keys(notificationPreferences).filter(isOptional)

const preferenceByKind: ReadonlyMap<EmailKind, OptionalPreference> = new Map(
  optionalPreferences.flatMap((name) => notificationPreferences[name].emails.map((kind): [EmailKind, OptionalPreference] => [kind, name])),
)

/** Returns the preference that turns an e-mail off; undefined if people cannot turn it off. */
export const preferenceOf = (kind: EmailKind): OptionalPreference | undefined => preferenceByKind.get(kind)

/** Returns true for e-mails that are sent only to people who agreed to marketing. */
export const isMarketing = (name: OptionalPreference): boolean => {
  const preference: Preference = notificationPreferences[name]
  return preference.isMarketing === true
}

export const marketingPreferences: readonly OptionalPreference[] = optionalPreferences.filter(isMarketing)
