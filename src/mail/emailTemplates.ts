/** The words of every message in English. `{school}` is the school's name; the other names are links, and words of an event. */
export const emailTemplates = {
  sign_up: {
    subject: 'Finish your sign-up at {school}',
    text: `Somebody, probably you, asked for an account at {school} with this e-mail address.

To choose a password and finish, open this link. It works once, and for an hour:

{link}

If it was not you, do nothing: without the link there is no account.`,
  },
  sign_up_known: {
    subject: 'You already have an account at {school}',
    text: `Somebody, probably you, asked for an account at {school} with this e-mail address. There is one already, and nothing was changed.

To sign in:

{sign_in}

If you do not remember the password:

{reset}

If it was not you, do nothing.`,
  },
  staff_invited: {
    subject: 'You work at {school} now',
    text: `Somebody at {school} has added you to its staff with this e-mail address.

Open this link and sign in, or make an account with this address:

{link}

If you did not ask for this and do not know the school, do nothing.`,
  },
  person_invited: {
    subject: '{school} expects you',
    text: `Somebody at {school} has put you down as a student or a member, with this e-mail address.

To choose a password and have a look, make an account with this address:

{link}

If you did not ask for this and do not know the school, do nothing.`,
  },
  enrolled: {
    subject: 'A course at {school} is open to you',
    text: `{school} has enrolled you in a course with this e-mail address.

Open this link and sign in, or make an account with this address:

{link}

If you did not ask for this and do not know the school, do nothing.`,
  },
  deletion_scheduled: {
    subject: 'Your account at {school} will be deleted',
    text: `Your account at {school} will be deleted in 14 days, with your name and your e-mail address. An app that you connected asked for this. It calls itself "{app}".

To keep the account, open this page and sign in:

{link}

If you did not ask for this, remove the app on the same page. If you want the account to be deleted, do nothing.`,
  },
  password_reset: {
    subject: 'Choose a new password for {school}',
    text: `Somebody, probably you, asked for a new password for your account at {school}.

To choose one, open this link. It works once, and for an hour:

{link}

If it was not you, do nothing: your password stays as it is.`,
  },
  password_changed: {
    subject: 'Your password at {school} was changed',
    text: `The password of your account at {school} was just changed, and every browser was signed out.

If it was not you, choose another one now, and have all apps disconnected while you do:

{reset}`,
  },
  email_change: {
    subject: 'Confirm your new e-mail address at {school}',
    text: `An account at {school} is to use this e-mail address.

To confirm that it is yours, open this link and sign in. It works once, and for an hour:

{link}

If you did not ask for this, do nothing: the account keeps the address it has.`,
  },
  email_change_known: {
    subject: 'You already have an account at {school}',
    text: `Somebody, probably you, asked to use this e-mail address for another account at {school}. It belongs to an account already, and nothing was changed.

To sign in to it:

{sign_in}

If it was not you, do nothing.`,
  },
  email_changed: {
    subject: 'Your e-mail address at {school} was changed',
    text: `Your account at {school} now uses another e-mail address. You can no longer sign in with this one, and you will get no more messages here.

If it was not you, contact the school immediately:

{contact}`,
  },
  event_canceled: {
    subject: '{school}: {title} is canceled',
    text: `An event at {school} that you wanted to come to does not take place: {title}, {when}.

If you did not ask for a seat there, do nothing.`,
  },
  event_canceled_because: {
    subject: '{school}: {title} is canceled',
    text: `An event at {school} that you wanted to come to does not take place: {title}, {when}.

They say why: {reason}

If you did not ask for a seat there, do nothing.`,
  },
  rsvp_promoted: {
    subject: '{school}: you have a seat at {title}',
    text: `You waited for a seat at an event of {school}. There is one for you now: {title}, {when}.

If you cannot come any more, give it up, so that somebody else can have it.

If you did not ask for a seat there, do nothing.`,
  },
} as const satisfies Record<string, { subject: string; text: string }>

export type EmailKind = keyof typeof emailTemplates

/** The words of every message in one language. */
export type EmailTemplates = Record<EmailKind, { subject: string; text: string }>
