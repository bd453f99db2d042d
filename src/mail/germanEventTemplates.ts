import type { EmailTemplate } from './emailTemplates.ts'
import type { eventTemplates } from './eventTemplates.ts'

const withdraw = `Wenn Sie nicht mehr kommen können, geben Sie Ihren Platz frei, damit jemand anderes ihn bekommt.

{cannot_come}`

/** The German templates of e-mails about the events of a person. */
export const germanEventTemplates: Record<keyof typeof eventTemplates, EmailTemplate> = {
  rsvp_confirmed: {
    subject: '{school}: Sie sind für {title} angemeldet',
    text: `Sie haben einen Platz bei einer Veranstaltung von {school}: {title}.

{occasion}

${withdraw}`,
  },
  event_canceled: {
    subject: '{school}: {title} ist abgesagt',
    text: `Eine Veranstaltung von {school}, zu der Sie sich angemeldet haben, ist abgesagt: {title}.

{occasion}`,
  },
  event_canceled_because: {
    subject: '{school}: {title} ist abgesagt',
    text: `Eine Veranstaltung von {school}, zu der Sie sich angemeldet haben, ist abgesagt: {title}.

{occasion}

Grund: {reason}`,
  },
  event_moved: {
    subject: '{school}: neue Zeit oder neuer Ort von {title}',
    text: `Eine Veranstaltung von {school}, zu der Sie sich angemeldet haben, hat eine neue Zeit oder einen neuen Ort: {title}.

{occasion}

Bisher: {before}

${withdraw}`,
  },
  rsvp_promoted: {
    subject: '{school}: Sie haben einen Platz bei {title}',
    text: `Sie standen auf der Warteliste einer Veranstaltung von {school}. Jetzt haben Sie einen Platz: {title}.

{occasion}

${withdraw}`,
  },
  rsvp_offered: {
    subject: '{school}: Für Sie ist ein Platz bei {title} reserviert',
    text: `Sie stehen auf der Warteliste einer Veranstaltung von {school}: {title}. Bis {until} ist ein Platz für Sie reserviert.

{occasion}

Fragen Sie die Schule, wie Sie ihn bezahlen. Danach bekommt ihn die nächste Person.`,
  },
  rsvp_offered_checkout: {
    subject: '{school}: Für Sie ist ein Platz bei {title} reserviert',
    text: `Sie stehen auf der Warteliste einer Veranstaltung von {school}: {title}. Bis {until} ist ein Platz für Sie reserviert.

{occasion}

Bezahlen Sie Ihren Platz. Danach bekommt ihn die nächste Person.

{checkout}`,
  },
  event_reminder: {
    subject: '{school}: {title} beginnt bald',
    text: `Sie haben einen Platz bei einer Veranstaltung von {school}: {title}.

{occasion}

${withdraw}

Sie können diese Erinnerungen in Ihrem Konto ausschalten.

{notifications}`,
  },
}
