import type { EmailValue } from './emailValues.ts'
import { securityTemplates } from './securityTemplates.ts'

const hour = 3600

/**
 * The English e-mail templates. A paragraph that consists of one placeholder shows a link or a list. `{school}` is the school's name; every other placeholder is a value that the sender of the e-mail passes.
 * Hosts write the texts of an event, and staff the title of a form. The only other untrusted value is the name of an app, as `quotedName` shortens it.
 */
export const emailTemplates = {
  sign_up: {
    subject: 'Finish your sign-up at {school}',
    linkSeconds: hour,
    text: `Someone, probably you, requested an account at {school} with this e-mail address.

To choose a password and finish, open this link. It works once, within an hour:

{link}

If it was not you, ignore this e-mail: without the link no account is created.`,
  },
  /** A sign-up with the address of an existing account. */
  sign_up_known: {
    subject: 'You already have an account at {school}',
    text: `Someone, probably you, requested an account at {school} with this e-mail address. You already have an account, and nothing was changed.

To sign in:

{sign_in}

If you do not remember your password:

{reset}

If it was not you, ignore this e-mail.`,
  },
  staff_invited: {
    subject: "You've been added to the staff of {school}",
    text: `Someone at {school} has added you to its staff with this e-mail address.

Open this link and sign in, or create an account with this address:

{link}

If you did not ask for this and do not know the school, ignore this e-mail.`,
  },
  /** A person was added as a student or a member. */
  person_invited: {
    subject: "You're invited to {school}",
    text: `Someone at {school} has added you as a student or a member, with this e-mail address.

To choose a password and look around, create an account with this address:

{link}

If you did not ask for this and do not know the school, ignore this e-mail.`,
  },
  /** The school has enrolled the person in a course. */
  enrolled: {
    subject: "You've been enrolled in a course at {school}",
    text: `{school} has enrolled you in a course with this e-mail address.

Open this link and sign in, or create an account with this address:

{link}

If you did not ask for this and do not know the school, ignore this e-mail.`,
  },
  password_reset: {
    subject: 'Choose a new password for {school}',
    linkSeconds: hour,
    text: `Someone, probably you, requested a new password for your account at {school}.

To choose one, open this link. It works once, within an hour:

{link}

If it was not you, ignore this e-mail: your password does not change.`,
  },
  email_change: {
    subject: 'Confirm your new e-mail address at {school}',
    linkSeconds: hour,
    text: `Someone, probably you, wants to use this e-mail address for an account at {school}.

To confirm that the address is yours, open this link and sign in. It works once, within an hour:

{link}

If you did not ask for this, ignore this e-mail: the account keeps its current address.`,
  },
  /** An e-mail change to the address of another account. */
  email_change_known: {
    subject: 'You already have an account at {school}',
    text: `Someone, probably you, wanted to use this e-mail address for another account at {school}. The address already belongs to an account, and nothing was changed.

To sign in to that account:

{sign_in}

If it was not you, ignore this e-mail.`,
  },
  event_canceled: {
    subject: '{school}: {title} is cancelled',
    text: `An event at {school} that you signed up for is cancelled: {title}, {when}.

If you did not ask for a seat, ignore this e-mail.`,
  },
  event_canceled_because: {
    subject: '{school}: {title} is cancelled',
    text: `An event at {school} that you signed up for is cancelled: {title}, {when}.

Reason: {reason}

If you did not ask for a seat, ignore this e-mail.`,
  },
  /** A person on the waiting list has a seat. */
  rsvp_promoted: {
    subject: '{school}: you have a seat at {title}',
    text: `You were on the waiting list of an event at {school}. You now have a seat: {title}, {when}.

If you can no longer come, give up your seat, so that someone else can have it.

If you did not ask for a seat, ignore this e-mail.`,
  },
  /** A seat of an event with a price is held for a person on the waiting list. */
  rsvp_offered: {
    subject: '{school}: a seat at {title} is held for you',
    text: `You are on the waiting list of an event at {school}: {title}, {when}. A seat is held for you until {until}.

Ask the school how to pay for it. After this time, the next person gets the seat.

If you did not ask for a seat, ignore this e-mail.`,
  },
  rsvp_offered_checkout: {
    subject: '{school}: a seat at {title} is held for you',
    text: `You are on the waiting list of an event at {school}: {title}, {when}. A seat is held for you until {until}.

Pay for your seat:

{checkout}

After this time, the next person gets the seat.

If you did not ask for a seat, ignore this e-mail.`,
  },
  /** Before an event. */
  event_reminder: {
    subject: '{school}: reminder of {title}',
    text: `You have a seat at an event at {school}: {title}, {when}.

If you cannot come, give up your seat, so that someone else can have it.

You can turn off these reminders in your account:

{notifications}

If you did not ask for a seat, ignore this e-mail.`,
  },
  /** To owners and admins, at most once an hour for each form. */
  form_submissions: {
    subject: '{school}: new submissions of {form}',
    text: `People have filled in a form of {school}: {form}. New submissions since the last e-mail: {submissions}.

You can read them in the app with which you manage the school. If you do not want these e-mails, turn them off in the settings of the form.

If you did not ask for this and do not work there, ignore this e-mail.`,
  },
  ...securityTemplates,
} as const satisfies Record<string, EmailTemplate>

export interface EmailTemplate {
  subject: string
  text: string
  /** How long the link in the e-mail works, in seconds. A later delivery is not attempted. Default: the link does not expire. */
  linkSeconds?: number
}

export type EmailKind = keyof typeof emailTemplates

/** Returns how long the delivery of an e-mail is attempted, in seconds. */
export function emailLifetimeSeconds(kind: EmailKind): number {
  const { linkSeconds = 3 * 24 * hour }: EmailTemplate = emailTemplates[kind]
  return linkSeconds
}

/** The e-mail templates of one language. */
export type EmailTemplates = Record<EmailKind, EmailTemplate>

type Placeholders<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Placeholders<Rest> : never

/** The values of an e-mail: the placeholders of its English template, except for the school's name. */
export type EmailValues<Kind extends EmailKind> = Kind extends EmailKind
  ? { [Name in Exclude<Placeholders<(typeof emailTemplates)[Kind]['subject' | 'text']>, 'school'>]: EmailValue<Name> }
  : never
