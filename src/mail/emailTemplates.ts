import type { EmailValue } from './emailValues.ts'
import { eventTemplates } from './eventTemplates.ts'
import { notificationTemplates, orderTemplates } from './notificationTemplates.ts'
import { securityTemplates } from './securityTemplates.ts'

const hour = 3600

/**
 * The English e-mail templates. A paragraph that consists of one placeholder shows a link or a list. `{school}` is the school's name; every other placeholder is a value that the sender of the e-mail passes.
 * Hosts write the texts of an event, and staff the title of a form. The only other untrusted value is the name of an app, as `quotedName` shortens it.
 */
export const emailTemplates = {
  sign_up: {
    subject: 'Finish your sign-up at {school}',
    button: 'Choose a password',
    linkSeconds: hour,
    text: `You (or someone using your address) asked for an account at {school}.

Choose a password to finish. The link works once, within an hour.

{link}

If it was not you, ignore this e-mail: without the link no account is created.`,
  },
  sign_up_known: {
    subject: 'You already have an account at {school}',
    text: `You (or someone using your address) asked for an account at {school}. You already have an account, and nothing was changed. Sign in to it.

{sign_in}

If you do not remember your password, choose a new one.

{reset}

If it was not you, ignore this e-mail.`,
  },
  staff_invited: {
    subject: "You've been added to the staff of {school}",
    button: 'Sign in or create an account',
    text: `Someone at {school} has added you to its staff with this e-mail address.

Sign in, or create an account with this address.

{link}

If you did not ask for this and do not know the school, ignore this e-mail.`,
  },
  person_invited: {
    subject: "You're invited to {school}",
    button: 'Create an account',
    text: `Someone at {school} has added you as a student or a member, with this e-mail address.

Create an account with this address to choose a password and look around.

{link}

If you did not ask for this and do not know the school, ignore this e-mail.`,
  },
  enrolled: {
    subject: "You've been enrolled in {course} at {school}",
    button: 'Go to the course',
    text: `{school} has enrolled you in a course with this e-mail address: {course}.

Sign in, or create an account with this address.

{link}

If you did not ask for this and do not know the school, ignore this e-mail.`,
  },
  password_reset: {
    subject: 'Choose a new password for {school}',
    button: 'Choose a new password',
    linkSeconds: hour,
    text: `You (or someone using your address) asked for a new password for your account at {school}.

The link works once, within an hour.

{link}

If it was not you, ignore this e-mail: your password does not change.`,
  },
  email_change: {
    subject: 'Confirm your new e-mail address at {school}',
    button: 'Confirm the address',
    linkSeconds: hour,
    text: `You (or someone using your address) asked to use this e-mail address for an account at {school}.

Confirm that the address is yours, and sign in. The link works once, within an hour.

{link}

If you did not ask for this, ignore this e-mail: the account keeps its current address.`,
  },
  email_change_known: {
    subject: 'You already have an account at {school}',
    text: `You (or someone using your address) asked to use this e-mail address for another account at {school}. The address already belongs to an account, and nothing was changed. Sign in to that account.

{sign_in}

If it was not you, ignore this e-mail.`,
  },
  /** To owners and admins, at most once an hour for each form. */
  form_submissions: {
    subject: '{school}: new submissions of {form}',
    text: `People have filled in a form of {school}: {form}. New submissions since the last e-mail: {submissions}.

{answers}

If you do not want these e-mails, turn them off in the settings of the form.

If you did not ask for this and do not work there, ignore this e-mail.`,
  },
  /** To the address in a form, which can be that of somebody else: nothing of it is what the sender entered. */
  /** Apps that did something unusual. They chose their names. */
  apps_unusual: {
    subject: '{school}: unusual apps',
    text: `Apps at {school} did something that you should know.

{signals}

On this page you can pause an app, end its access, or agree to it.

{school_apps}

You get this e-mail because you own the school, at most once a day. If you did not ask for this and do not work there, ignore it.`,
  },
  form_received: {
    subject: '{school}: your message has arrived',
    text: `Somebody has filled in a form of {school} with this e-mail address: {form}. The answers have arrived.

If it was not you, ignore this e-mail.`,
  },
  /** With the answers, shortened and without links. */
  form_received_copy: {
    subject: '{school}: your message has arrived',
    text: `Somebody has filled in a form of {school} with this e-mail address: {form}. The answers have arrived.

{copy}

If it was not you, ignore this e-mail.`,
  },
  ...eventTemplates,
  ...notificationTemplates,
  ...orderTemplates,
  ...securityTemplates,
} as const satisfies Record<string, EmailTemplate>

export interface EmailTemplate {
  subject: string
  text: string
  /** The label of the button for `{link}`. Other links have the labels in src/mail/linkLabels.ts. */
  button?: string
  /** How long the link in the e-mail works, in seconds. A later delivery is not attempted. Default: the link does not expire. */
  linkSeconds?: number
}

export type EmailKind = keyof typeof emailTemplates

/** Returns how long the delivery of an e-mail is attempted, in seconds. */
export function emailLifetimeSeconds(kind: EmailKind): number {
  const { linkSeconds = 3 * 24 * hour }: EmailTemplate = emailTemplates[kind]
  return linkSeconds
}

export type EmailTemplates = Record<EmailKind, EmailTemplate>

type Placeholders<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Placeholders<Rest> : never

/** The values of an e-mail: the placeholders of its English template, except for the school's name. */
export type EmailValues<Kind extends EmailKind> = Kind extends EmailKind
  ? { [Name in Exclude<Placeholders<(typeof emailTemplates)[Kind]['subject' | 'text']>, 'school'>]: EmailValue<Name> }
  : never
