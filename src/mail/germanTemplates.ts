import type { EmailTemplates } from './emailTemplates.ts'
import { germanSecurityTemplates } from './germanSecurityTemplates.ts'

/** The German e-mail templates, with the same placeholders as the English ones. */
export const germanTemplates: EmailTemplates = {
  sign_up: {
    subject: 'Schließen Sie Ihre Registrierung bei {school} ab',
    text: `Jemand, vermutlich Sie, hat mit dieser E-Mail-Adresse ein Konto bei {school} angefragt.

Öffnen Sie diesen Link, um ein Passwort zu wählen und das Konto anzulegen. Er gilt einmal und eine Stunde lang:

{link}

Wenn Sie das nicht waren, müssen Sie nichts tun: Ohne den Link entsteht kein Konto.`,
  },
  sign_up_known: {
    subject: 'Sie haben bereits ein Konto bei {school}',
    text: `Jemand, vermutlich Sie, hat mit dieser E-Mail-Adresse ein Konto bei {school} angefragt. Es gibt bereits eines, und nichts wurde geändert.

Zur Anmeldung:

{sign_in}

Falls Sie Ihr Passwort nicht mehr wissen:

{reset}

Wenn Sie das nicht waren, müssen Sie nichts tun.`,
  },
  staff_invited: {
    subject: 'Sie gehören jetzt zum Team von {school}',
    text: `Jemand bei {school} hat Sie mit dieser E-Mail-Adresse in das Team aufgenommen.

Öffnen Sie diesen Link und melden Sie sich an, oder legen Sie mit dieser Adresse ein Konto an:

{link}

Wenn Sie das nicht erwartet haben und die Schule nicht kennen, müssen Sie nichts tun.`,
  },
  person_invited: {
    subject: 'Sie sind zu {school} eingeladen',
    text: `Jemand bei {school} hat Sie mit dieser E-Mail-Adresse als Teilnehmerin, Teilnehmer oder Mitglied eingetragen.

Legen Sie mit dieser Adresse ein Konto an, um ein Passwort zu wählen und sich umzusehen:

{link}

Wenn Sie das nicht erwartet haben und die Schule nicht kennen, müssen Sie nichts tun.`,
  },
  enrolled: {
    subject: 'Sie wurden in einen Kurs bei {school} eingeschrieben',
    text: `{school} hat Sie mit dieser E-Mail-Adresse in einen Kurs eingeschrieben.

Öffnen Sie diesen Link und melden Sie sich an, oder legen Sie mit dieser Adresse ein Konto an:

{link}

Wenn Sie das nicht erwartet haben und die Schule nicht kennen, müssen Sie nichts tun.`,
  },
  password_reset: {
    subject: 'Wählen Sie ein neues Passwort für {school}',
    text: `Jemand, vermutlich Sie, hat ein neues Passwort für Ihr Konto bei {school} angefragt.

Öffnen Sie diesen Link, um eines zu wählen. Er gilt einmal und eine Stunde lang:

{link}

Wenn Sie das nicht waren, müssen Sie nichts tun: Ihr Passwort bleibt, wie es ist.`,
  },
  email_change: {
    subject: 'Bestätigen Sie Ihre neue E-Mail-Adresse bei {school}',
    text: `Jemand, vermutlich Sie, möchte diese E-Mail-Adresse für ein Konto bei {school} verwenden.

Öffnen Sie diesen Link und melden Sie sich an, um zu bestätigen, dass sie Ihnen gehört. Er gilt einmal und eine Stunde lang:

{link}

Wenn Sie das nicht veranlasst haben, müssen Sie nichts tun: Das Konto behält seine bisherige Adresse.`,
  },
  email_change_known: {
    subject: 'Sie haben bereits ein Konto bei {school}',
    text: `Jemand, vermutlich Sie, wollte diese E-Mail-Adresse für ein weiteres Konto bei {school} verwenden. Sie gehört bereits zu einem Konto, und nichts wurde geändert.

Zur Anmeldung mit diesem Konto:

{sign_in}

Wenn Sie das nicht waren, müssen Sie nichts tun.`,
  },
  event_canceled: {
    subject: '{school}: {title} ist abgesagt',
    text: `Eine Veranstaltung von {school}, zu der Sie sich angemeldet haben, ist abgesagt: {title}, {when}.

Wenn Sie das nicht waren und keinen Platz angefragt haben, müssen Sie nichts tun.`,
  },
  event_canceled_because: {
    subject: '{school}: {title} ist abgesagt',
    text: `Eine Veranstaltung von {school}, zu der Sie sich angemeldet haben, ist abgesagt: {title}, {when}.

Grund: {reason}

Wenn Sie das nicht waren und keinen Platz angefragt haben, müssen Sie nichts tun.`,
  },
  rsvp_promoted: {
    subject: '{school}: Sie haben einen Platz bei {title}',
    text: `Sie standen auf der Warteliste einer Veranstaltung von {school}. Jetzt haben Sie einen Platz: {title}, {when}.

Wenn Sie nicht mehr kommen können, geben Sie ihn frei, damit jemand anderes ihn bekommt.

Wenn Sie das nicht waren, müssen Sie nichts tun.`,
  },
  rsvp_offered: {
    subject: '{school}: Für Sie ist ein Platz bei {title} reserviert',
    text: `Sie stehen auf der Warteliste einer Veranstaltung von {school}: {title}, {when}. Bis {until} ist ein Platz für Sie reserviert.

Fragen Sie die Schule, wie Sie ihn bezahlen. Danach bekommt ihn die nächste Person.

Wenn Sie das nicht waren, müssen Sie nichts tun.`,
  },
  rsvp_offered_checkout: {
    subject: '{school}: Für Sie ist ein Platz bei {title} reserviert',
    text: `Sie stehen auf der Warteliste einer Veranstaltung von {school}: {title}, {when}. Bis {until} ist ein Platz für Sie reserviert.

Bezahlen Sie Ihren Platz:

{checkout}

Danach bekommt ihn die nächste Person.

Wenn Sie das nicht waren, müssen Sie nichts tun.`,
  },
  event_reminder: {
    subject: '{school}: {title} beginnt bald',
    text: `Sie haben einen Platz bei einer Veranstaltung von {school}: {title}, {when}.

Wenn Sie nicht kommen können, geben Sie Ihren Platz frei, damit jemand anderes ihn bekommt.

Sie können diese Erinnerungen in Ihrem Konto ausschalten:

{notifications}

Wenn Sie das nicht waren, müssen Sie nichts tun.`,
  },
  form_submissions: {
    subject: '{school}: neue Einsendungen zu {form}',
    text: `Jemand hat ein Formular von {school} ausgefüllt: {form}. Neue Einsendungen seit der letzten E-Mail: {submissions}.

Sie können sie in der App lesen, mit der Sie die Schule verwalten. Wenn Sie diese E-Mails nicht möchten, schalten Sie sie in den Einstellungen des Formulars aus.

Wenn Sie das nicht waren und nicht dort arbeiten, müssen Sie nichts tun.`,
  },
  ...germanSecurityTemplates,
}
