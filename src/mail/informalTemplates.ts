import type { EmailKind, EmailTemplate } from './emailTemplates.ts'
import { informalSecurityTemplates } from './informalSecurityTemplates.ts'

const withdraw = `Wenn du nicht mehr kommen kannst, gib deinen Platz frei, damit jemand anderes ihn bekommt.

{cannot_come}`

/** The texts of German e-mails that differ if the school addresses people as du. */
export const informalTemplates: Partial<Record<EmailKind, Partial<EmailTemplate>>> = {
  sign_up: {
    subject: 'Schließe deine Registrierung bei {school} ab',
    text: `Für diese E-Mail-Adresse wurde ein Konto bei {school} angefordert.

Wähle ein Passwort, um das Konto anzulegen. Der Link gilt einmal und eine Stunde lang.

{link}

Wenn du das nicht warst, musst du nichts tun: Ohne den Link entsteht kein Konto.`,
  },
  sign_up_known: {
    subject: 'Du hast bereits ein Konto bei {school}',
    text: `Für diese E-Mail-Adresse wurde ein Konto bei {school} angefordert. Es gibt bereits eines, und nichts wurde geändert. Melde dich damit an.

{sign_in}

Falls du dein Passwort nicht mehr weißt, wähle ein neues.

{reset}

Wenn du das nicht warst, musst du nichts tun.`,
  },
  staff_invited: {
    subject: 'Du gehörst jetzt zum Team von {school}',
    text: `Jemand bei {school} hat dich mit dieser E-Mail-Adresse in das Team aufgenommen.

Melde dich an, oder lege mit dieser Adresse ein Konto an.

{link}

Wenn du das nicht erwartet hast und die Schule nicht kennst, musst du nichts tun.`,
  },
  person_invited: {
    subject: 'Du bist zu {school} eingeladen',
    text: `Jemand bei {school} hat dich mit dieser E-Mail-Adresse als Teilnehmerin, Teilnehmer oder Mitglied eingetragen.

Lege mit dieser Adresse ein Konto an, um ein Passwort zu wählen und dich umzusehen.

{link}

Wenn du das nicht erwartet hast und die Schule nicht kennst, musst du nichts tun.`,
  },
  enrolled: {
    subject: 'Du bist in {course} bei {school} eingeschrieben',
    text: `{school} hat dich mit dieser E-Mail-Adresse in einen Kurs eingeschrieben: {course}.

Melde dich an, oder lege mit dieser Adresse ein Konto an.

{link}

Wenn du das nicht erwartet hast und die Schule nicht kennst, musst du nichts tun.`,
  },
  password_reset: {
    subject: 'Wähle ein neues Passwort für {school}',
    text: `Für diese E-Mail-Adresse wurde ein neues Passwort bei {school} angefordert.

Der Link gilt einmal und eine Stunde lang.

{link}

Wenn du das nicht warst, musst du nichts tun: Dein Passwort bleibt, wie es ist.`,
  },
  email_change: {
    subject: 'Bestätige deine neue E-Mail-Adresse bei {school}',
    text: `Diese E-Mail-Adresse soll für ein Konto bei {school} verwendet werden.

Bestätige, dass sie dir gehört, und melde dich an. Der Link gilt einmal und eine Stunde lang.

{link}

Wenn du das nicht veranlasst hast, musst du nichts tun: Das Konto behält seine bisherige Adresse.`,
  },
  email_change_known: {
    subject: 'Du hast bereits ein Konto bei {school}',
    text: `Diese E-Mail-Adresse sollte für ein weiteres Konto bei {school} verwendet werden. Sie gehört bereits zu einem Konto, und nichts wurde geändert. Melde dich mit diesem Konto an.

{sign_in}

Wenn du das nicht warst, musst du nichts tun.`,
  },
  form_submissions: {
    text: `Jemand hat ein Formular von {school} ausgefüllt: {form}. Neue Einsendungen seit der letzten E-Mail: {submissions}.

{answers}

Wenn du diese E-Mails nicht möchtest, schalte sie in den Einstellungen des Formulars aus.

Wenn du das nicht warst und nicht dort arbeitest, musst du nichts tun.`,
  },
  apps_unusual: {
    text: `Apps bei {school} haben etwas getan, das du wissen solltest.

{signals}

Auf dieser Seite kannst du eine App pausieren, ihren Zugriff beenden oder ihr zustimmen.

{school_apps}

Du bekommst diese E-Mail höchstens einmal am Tag, weil dir die Schule gehört. Wenn du das nicht erwartet hast und nicht dort arbeitest, musst du nichts tun.`,
  },
  form_received: {
    subject: '{school}: Deine Nachricht ist angekommen',
    text: `Mit dieser E-Mail-Adresse wurde ein Formular von {school} ausgefüllt: {form}. Die Antworten sind angekommen.

Wenn du das nicht warst, musst du nichts tun.`,
  },
  form_received_copy: {
    subject: '{school}: Deine Nachricht ist angekommen',
    text: `Mit dieser E-Mail-Adresse wurde ein Formular von {school} ausgefüllt: {form}. Die Antworten sind angekommen.

{copy}

Wenn du das nicht warst, musst du nichts tun.`,
  },
  rsvp_confirmed: {
    subject: '{school}: Du bist für {title} angemeldet',
    text: `Du hast einen Platz bei einer Veranstaltung von {school}: {title}.

{occasion}

${withdraw}`,
  },
  event_canceled: {
    text: `Eine Veranstaltung von {school}, zu der du dich angemeldet hast, ist abgesagt: {title}.

{occasion}`,
  },
  event_canceled_because: {
    text: `Eine Veranstaltung von {school}, zu der du dich angemeldet hast, ist abgesagt: {title}.

{occasion}

Grund: {reason}`,
  },
  event_moved: {
    text: `Eine Veranstaltung von {school}, zu der du dich angemeldet hast, hat eine neue Zeit oder einen neuen Ort: {title}.

{occasion}

Bisher: {before}

${withdraw}`,
  },
  rsvp_promoted: {
    subject: '{school}: Du hast einen Platz bei {title}',
    text: `Du warst auf der Warteliste einer Veranstaltung von {school}. Jetzt hast du einen Platz: {title}.

{occasion}

${withdraw}`,
  },
  rsvp_offered: {
    subject: '{school}: Für dich ist ein Platz bei {title} reserviert',
    text: `Du stehst auf der Warteliste einer Veranstaltung von {school}: {title}. Bis {until} ist ein Platz für dich reserviert.

{occasion}

Frage die Schule, wie du ihn bezahlst. Danach bekommt ihn die nächste Person.`,
  },
  rsvp_offered_checkout: {
    subject: '{school}: Für dich ist ein Platz bei {title} reserviert',
    text: `Du stehst auf der Warteliste einer Veranstaltung von {school}: {title}. Bis {until} ist ein Platz für dich reserviert.

{occasion}

Bezahle deinen Platz. Danach bekommt ihn die nächste Person.

{checkout}`,
  },
  event_reminder: {
    text: `Du hast einen Platz bei einer Veranstaltung von {school}: {title}.

{occasion}

${withdraw}

Du kannst diese Erinnerungen in deinem Konto ausschalten.

{notifications}`,
  },
  lessons_published: {
    text: `In einem Kurs, den du bei {school} besuchst, gibt es neue Lektionen: {course}.

{lessons}

{link}`,
  },
  result_changed: {
    text: `Ein Quiz, an dem du bei {school} teilgenommen hast, wurde neu bewertet, und dein Ergebnis hat sich geändert: {lesson}.

{link}`,
  },
  comment_replied: {
    subject: '{school}: Antwort auf deinen Kommentar zu {title}',
    text: `Bei {school} gibt es eine Antwort auf deinen Kommentar zu {title}.

Neue Antworten seit der letzten E-Mail: {count}. Die neueste ist von {author}: „{comment}“

{link}`,
  },
  post_commented: {
    subject: '{school}: Kommentar zu deinem Beitrag {title}',
    text: `Bei {school} gibt es einen Kommentar zu deinem Beitrag: {title}.

Neue Kommentare seit der letzten E-Mail: {count}. Der neueste ist von {author}: „{comment}“

{link}`,
  },
  receipt: {
    text: `Vielen Dank für deine Bestellung bei {school}. Sie ist bezahlt.

{items}

{link}

Wenn du das nicht bestellt hast, wende dich an {school}.`,
  },
  receipt_free: {
    text: `Vielen Dank für deine Bestellung bei {school}. Du musst nichts bezahlen.

{items}

{link}

Wenn du das nicht bestellt hast, wende dich an {school}.`,
  },
  refund: {
    button: 'Deine Bestellungen',
    text: `{school} hat dir eine Bestellung erstattet.

{items}

{link}

Wenn du das nicht erwartet hast, wende dich an {school}.`,
  },
  ...informalSecurityTemplates,
}
