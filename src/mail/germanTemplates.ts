import type { EmailKind, EmailTemplate, EmailTemplates } from './emailTemplates.ts'
import { germanEventTemplates } from './germanEventTemplates.ts'
import { germanNotificationTemplates, germanOrderTemplates } from './germanNotificationTemplates.ts'
import { germanSecurityTemplates } from './germanSecurityTemplates.ts'
import { informalTemplates } from './informalTemplates.ts'

export const germanTemplates: EmailTemplates = {
  sign_up: {
    subject: 'Schließen Sie Ihre Registrierung bei {school} ab',
    button: 'Passwort wählen',
    text: `Für diese E-Mail-Adresse wurde ein Konto bei {school} angefordert.

Wählen Sie ein Passwort, um das Konto anzulegen. Der Link gilt einmal und eine Stunde lang.

{link}

Wenn Sie das nicht waren, müssen Sie nichts tun: Ohne den Link entsteht kein Konto.`,
  },
  sign_up_known: {
    subject: 'Sie haben bereits ein Konto bei {school}',
    text: `Für diese E-Mail-Adresse wurde ein Konto bei {school} angefordert. Es gibt bereits eines, und nichts wurde geändert. Melden Sie sich damit an.

{sign_in}

Falls Sie Ihr Passwort nicht mehr wissen, wählen Sie ein neues.

{reset}

Wenn Sie das nicht waren, müssen Sie nichts tun.`,
  },
  staff_invited: {
    subject: 'Sie gehören jetzt zum Team von {school}',
    button: 'Anmelden oder Konto anlegen',
    text: `Jemand bei {school} hat Sie mit dieser E-Mail-Adresse in das Team aufgenommen.

Melden Sie sich an, oder legen Sie mit dieser Adresse ein Konto an.

{link}

Wenn Sie das nicht erwartet haben und die Schule nicht kennen, müssen Sie nichts tun.`,
  },
  person_invited: {
    subject: 'Sie sind zu {school} eingeladen',
    button: 'Konto anlegen',
    text: `Jemand bei {school} hat Sie mit dieser E-Mail-Adresse als Teilnehmerin, Teilnehmer oder Mitglied eingetragen.

Legen Sie mit dieser Adresse ein Konto an, um ein Passwort zu wählen und sich umzusehen.

{link}

Wenn Sie das nicht erwartet haben und die Schule nicht kennen, müssen Sie nichts tun.`,
  },
  enrolled: {
    subject: 'Sie sind in {course} bei {school} eingeschrieben',
    button: 'Zum Kurs',
    text: `{school} hat Sie mit dieser E-Mail-Adresse in einen Kurs eingeschrieben: {course}.

Melden Sie sich an, oder legen Sie mit dieser Adresse ein Konto an.

{link}

Wenn Sie das nicht erwartet haben und die Schule nicht kennen, müssen Sie nichts tun.`,
  },
  password_reset: {
    subject: 'Wählen Sie ein neues Passwort für {school}',
    button: 'Neues Passwort wählen',
    text: `Für diese E-Mail-Adresse wurde ein neues Passwort bei {school} angefordert.

Der Link gilt einmal und eine Stunde lang.

{link}

Wenn Sie das nicht waren, müssen Sie nichts tun: Ihr Passwort bleibt, wie es ist.`,
  },
  email_change: {
    subject: 'Bestätigen Sie Ihre neue E-Mail-Adresse bei {school}',
    button: 'Adresse bestätigen',
    text: `Diese E-Mail-Adresse soll für ein Konto bei {school} verwendet werden.

Bestätigen Sie, dass sie Ihnen gehört, und melden Sie sich an. Der Link gilt einmal und eine Stunde lang.

{link}

Wenn Sie das nicht veranlasst haben, müssen Sie nichts tun: Das Konto behält seine bisherige Adresse.`,
  },
  email_change_known: {
    subject: 'Sie haben bereits ein Konto bei {school}',
    text: `Diese E-Mail-Adresse sollte für ein weiteres Konto bei {school} verwendet werden. Sie gehört bereits zu einem Konto, und nichts wurde geändert. Melden Sie sich mit diesem Konto an.

{sign_in}

Wenn Sie das nicht waren, müssen Sie nichts tun.`,
  },
  form_submissions: {
    subject: '{school}: neue Einsendungen zu {form}',
    text: `Jemand hat ein Formular von {school} ausgefüllt: {form}. Neue Einsendungen seit der letzten E-Mail: {submissions}.

{answers}

Wenn Sie diese E-Mails nicht möchten, schalten Sie sie in den Einstellungen des Formulars aus.

Wenn Sie das nicht waren und nicht dort arbeiten, müssen Sie nichts tun.`,
  },
  apps_unusual: {
    subject: '{school}: ungewöhnliche Apps',
    text: `Apps bei {school} haben etwas getan, das Sie wissen sollten.

{signals}

Auf dieser Seite können Sie eine App pausieren, ihren Zugriff beenden oder ihr zustimmen.

{school_apps}

Sie bekommen diese E-Mail höchstens einmal am Tag, weil Ihnen die Schule gehört. Wenn Sie das nicht erwartet haben und nicht dort arbeiten, müssen Sie nichts tun.`,
  },
  form_received: {
    subject: '{school}: Ihre Nachricht ist angekommen',
    text: `Mit dieser E-Mail-Adresse wurde ein Formular von {school} ausgefüllt: {form}. Die Antworten sind angekommen.

Wenn Sie das nicht waren, müssen Sie nichts tun.`,
  },
  form_received_copy: {
    subject: '{school}: Ihre Nachricht ist angekommen',
    text: `Mit dieser E-Mail-Adresse wurde ein Formular von {school} ausgefüllt: {form}. Die Antworten sind angekommen.

{copy}

Wenn Sie das nicht waren, müssen Sie nichts tun.`,
  },
  ...germanEventTemplates,
  ...germanNotificationTemplates,
  ...germanOrderTemplates,
  ...germanSecurityTemplates,
}

/** Returns the German template of a school that addresses people as du. */
export const informalGermanTemplate = (kind: EmailKind): EmailTemplate => ({ ...germanTemplates[kind], ...informalTemplates[kind] })
