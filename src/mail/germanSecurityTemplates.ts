import type { EmailTemplate } from './emailTemplates.ts'
import { germanConnectedAppTemplates } from './germanConnectedAppTemplates.ts'
import type { securityTemplates } from './securityTemplates.ts'

export const germanSecurityTemplates: Record<keyof typeof securityTemplates, EmailTemplate> = {
  ...germanConnectedAppTemplates,
  new_sign_in: {
    subject: 'Neue Anmeldung bei Ihrem Konto bei {school}',
    text: `Jemand hat sich mit einem Browser, der dafür noch nicht verwendet wurde, bei Ihrem Konto bei {school} angemeldet.

{facts}

Wenn Sie das waren, müssen Sie nichts tun.

Wenn Sie das nicht waren, wählen Sie jetzt ein anderes Passwort. Dadurch werden alle Browser abgemeldet.

{reset}

Sehen Sie sich danach die Apps an, die Zugriff auf Ihr Konto haben, und entfernen Sie alle, die Sie nicht kennen.

{apps}`,
  },
  password_changed: {
    subject: 'Ihr Passwort bei {school} wurde geändert',
    text: `Das Passwort Ihres Kontos bei {school} wurde geändert. Andere Browser wurden abgemeldet.

{facts}

Wenn Sie das waren, müssen Sie nichts tun.

Wenn Sie das nicht waren, wählen Sie jetzt ein anderes, und trennen Sie dabei alle Apps von Ihrem Konto.

{reset}`,
  },
  email_changed: {
    subject: 'Ihre E-Mail-Adresse bei {school} wurde geändert',
    text: `Ihr Konto bei {school} verwendet ab jetzt eine andere E-Mail-Adresse. Mit dieser hier können Sie sich nicht mehr anmelden, und Sie erhalten hier keine weiteren E-Mails.

{facts}

Wenn Sie das nicht waren, wenden Sie sich sofort an die Schule:

{contact}`,
  },
  email_changed_to: {
    subject: 'Ihre E-Mail-Adresse bei {school} wurde geändert',
    text: `Ihr Konto bei {school} verwendet jetzt diese E-Mail-Adresse. Melden Sie sich ab jetzt damit an.

{facts}

Wenn Sie das nicht waren, hat jemand Ihre Adresse für sein Konto verwendet. Wenden Sie sich an die Schule:

{contact}`,
  },
  passkey_added: {
    subject: 'Ein Passkey wurde zu Ihrem Konto bei {school} hinzugefügt',
    text: `Zu Ihrem Konto bei {school} wurde ein Passkey hinzugefügt. Man kann sich damit anmelden.

{facts}

Wenn Sie das waren, müssen Sie nichts tun.

Wenn Sie das nicht waren, wählen Sie jetzt ein anderes Passwort. Dadurch werden alle Browser abgemeldet.

{reset}

Entfernen Sie danach den Passkey auf dieser Seite.

{security}`,
  },
  passkey_removed: {
    subject: 'Ein Passkey wurde aus Ihrem Konto bei {school} entfernt',
    text: `Aus Ihrem Konto bei {school} wurde ein Passkey entfernt. Man kann sich damit nicht mehr anmelden.

{facts}

Wenn Sie das waren, müssen Sie nichts tun.

Wenn Sie das nicht waren, wählen Sie jetzt ein anderes Passwort. Dadurch werden alle Browser abgemeldet.

{reset}

Prüfen Sie danach auf dieser Seite, wie Sie sich anmelden.

{security}`,
  },
  authenticator_added: {
    subject: 'Eine Authenticator-App wurde zu Ihrem Konto bei {school} hinzugefügt',
    text: `Für die Anmeldung bei Ihrem Konto bei {school} ist jetzt zusätzlich zum Passwort ein Code aus einer Authenticator-App nötig.

{facts}

Wenn Sie das waren, müssen Sie nichts tun.

Wenn Sie das nicht waren, wählen Sie jetzt ein anderes Passwort. Dadurch werden alle Browser abgemeldet.

{reset}

Entfernen Sie danach die Authenticator-App auf dieser Seite.

{security}`,
  },
  authenticator_removed: {
    subject: 'Die Authenticator-App wurde aus Ihrem Konto bei {school} entfernt',
    text: `Für die Anmeldung bei Ihrem Konto bei {school} ist kein Code aus einer Authenticator-App mehr nötig.

{facts}

Wenn Sie das waren, müssen Sie nichts tun.

Wenn Sie das nicht waren, wählen Sie jetzt ein anderes Passwort. Dadurch werden alle Browser abgemeldet.

{reset}

Richten Sie danach Ihre Authenticator-App auf dieser Seite wieder ein.

{security}`,
  },
  recovery_code_used: {
    subject: 'Ein Wiederherstellungscode für Ihr Konto bei {school} wurde verwendet',
    text: `Jemand hat sich mit einem Ihrer Wiederherstellungscodes bei Ihrem Konto bei {school} angemeldet. Unbenutzte Wiederherstellungscodes: {left}

{facts}

Wenn Sie das waren, streichen Sie den Code durch. Neue Codes erhalten Sie auf dieser Seite.

{security}

Wenn Sie das nicht waren, wählen Sie jetzt ein anderes Passwort, und erzeugen Sie danach neue Wiederherstellungscodes.

{reset}`,
  },
  recovery_codes_renewed: {
    subject: 'Neue Wiederherstellungscodes für Ihr Konto bei {school}',
    text: `Für Ihr Konto bei {school} wurden neue Wiederherstellungscodes erzeugt. Die bisherigen gelten nicht mehr.

{facts}

Wenn Sie das waren, bewahren Sie die neuen Codes sicher auf. Sonst müssen Sie nichts tun.

Wenn Sie das nicht waren, wählen Sie jetzt ein anderes Passwort. Dadurch werden alle Browser abgemeldet.

{reset}

Erzeugen Sie danach auf dieser Seite neue Wiederherstellungscodes.

{security}`,
  },
  deletion_scheduled: {
    subject: 'Ihr Konto bei {school} wird gelöscht',
    button: 'Konto behalten',
    text: `Ihr Konto bei {school} wird in 14 Tagen gelöscht, mit Ihrem Namen und Ihrer E-Mail-Adresse. Eine App, die Sie verbunden haben, hat das veranlasst. Sie nennt sich „{app}“.

{facts}

Wenn Sie das Konto behalten möchten, öffnen Sie diese Seite und melden Sie sich an.

{link}

Wenn Sie das nicht wollten, entfernen Sie die App auf derselben Seite. Wenn das Konto gelöscht werden soll, müssen Sie nichts tun.`,
  },
  deletion_requested: {
    subject: 'Ihr Konto bei {school} wird gelöscht',
    text: `Ihr Konto bei {school} wird in 14 Tagen gelöscht, mit Ihrem Namen und Ihrer E-Mail-Adresse. Das wurde auf der Seite Ihres Kontos veranlasst.

{facts}

Wenn das Konto gelöscht werden soll, müssen Sie nichts tun. Wenn Sie es behalten möchten, öffnen Sie diese Seite und melden Sie sich an.

{apps}

Wenn Sie das nicht waren, behalten Sie das Konto auf dieser Seite und wählen Sie ein anderes Passwort.

{reset}`,
  },
  deletion_canceled: {
    subject: 'Ihr Konto bei {school} wird nicht gelöscht',
    text: `Die Löschung Ihres Kontos bei {school} wurde aufgehoben. Das Konto bleibt, wie es ist.

{facts}

Wenn Sie das waren, müssen Sie nichts tun.

Wenn Sie das nicht waren, wählen Sie jetzt ein anderes Passwort. Dadurch werden alle Browser abgemeldet.

{reset}`,
  },
}
