const withdraw = `If you can no longer come, give up your seat, so that someone else can have it.

{cannot_come}`

/**
 * The English templates of e-mails about the events of a person. Hosts write the texts of an event. `{occasion}` shows its time and place; with a
 * calendar entry, the e-mail has it as a file.
 */
export const eventTemplates = {
  /** The person has registered, or the school has registered the person. */
  rsvp_confirmed: {
    subject: '{school}: you are registered for {title}',
    text: `You have a seat at an event at {school}: {title}.

{occasion}

${withdraw}`,
  },
  event_canceled: {
    subject: '{school}: {title} is cancelled',
    text: `An event at {school} that you signed up for is cancelled: {title}.

{occasion}`,
  },
  event_canceled_because: {
    subject: '{school}: {title} is cancelled',
    text: `An event at {school} that you signed up for is cancelled: {title}.

{occasion}

Reason: {reason}`,
  },
  event_moved: {
    subject: '{school}: new time or place of {title}',
    text: `An event at {school} that you signed up for has a new time or place: {title}.

{occasion}

Before: {before}

${withdraw}`,
  },
  /** A person on the waiting list has a seat. */
  rsvp_promoted: {
    subject: '{school}: you have a seat at {title}',
    text: `You were on the waiting list of an event at {school}. You now have a seat: {title}.

{occasion}

${withdraw}`,
  },
  /** A seat of an event with a price is held for a person on the waiting list. */
  rsvp_offered: {
    subject: '{school}: a seat at {title} is held for you',
    text: `You are on the waiting list of an event at {school}: {title}. A seat is held for you until {until}.

{occasion}

Ask the school how to pay for it. After this time, the next person gets the seat.`,
  },
  rsvp_offered_checkout: {
    subject: '{school}: a seat at {title} is held for you',
    text: `You are on the waiting list of an event at {school}: {title}. A seat is held for you until {until}.

{occasion}

Pay for your seat. After this time, the next person gets it.

{checkout}`,
  },
  /** Before an event. */
  event_reminder: {
    subject: '{school}: reminder of {title}',
    text: `You have a seat at an event at {school}: {title}.

{occasion}

${withdraw}

You can turn off these reminders in your account.

{notifications}`,
  },
} as const
