import type { EmailKind, EmailTemplate } from './emailTemplates.ts'

const replacePassword = `Wenn du das warst, musst du nichts tun.

Wenn du das nicht warst, wähle jetzt ein anderes Passwort. Dadurch werden alle Browser abgemeldet.

{reset}`

const manage = `Auf dieser Seite siehst du alle Apps mit Zugriff auf dein Konto und kannst den Zugriff dieser App beenden.

{apps}

Wenn du das nicht warst, entferne die App dort und wähle ein anderes Passwort.

{reset}`

/** The texts of German e-mails about the security of an account that differ if the school addresses people as du. */
export const informalSecurityTemplates: Partial<Record<EmailKind, Partial<EmailTemplate>>> = {
  app_connected: {
    subject: 'Eine App wurde mit deinem Konto bei {school} verbunden',
    text: `Eine App, die sich selbst registriert hat, hat Zugriff auf dein Konto bei {school} erhalten. Sie nennt sich „{app}“. Die ID der App endet mit {ending}. Die Schule hat die App und ihren Namen nicht geprüft.

Das darf sie: {permissions}

{facts}

${manage}`,
  },
  app_connected_imitating: {
    subject: 'Eine App wurde mit deinem Konto bei {school} verbunden',
    text: `Eine App, die sich selbst registriert hat, hat Zugriff auf dein Konto bei {school} erhalten. Sie nennt sich „{app}“. Die ID der App endet mit {ending}. Die Schule hat die App und ihren Namen nicht geprüft.

Vorsicht: Dieser Name ähnelt „{imitated}“ oder enthält dieses Wort. Vielleicht gibt sich die App als die Schule oder als jemand anderes aus.

Das darf sie: {permissions}

{facts}

Wenn du nicht sicher bist, von wem die App stammt, entferne sie auf dieser Seite.

{apps}

Wenn du das nicht warst, entferne die App dort und wähle ein anderes Passwort.

{reset}`,
  },
  app_connected_website: {
    subject: 'Eine App wurde mit deinem Konto bei {school} verbunden',
    text: `Eine App hat Zugriff auf dein Konto bei {school} erhalten. Die Website {host} beschreibt die App, die sich „{app}“ nennt. Die Schule hat die App nicht geprüft.

Das darf sie: {permissions}

{facts}

${manage}`,
  },
  app_connected_approved: {
    subject: 'Eine App wurde mit deinem Konto bei {school} verbunden',
    text: `Die App „{app}“ hat Zugriff auf dein Konto bei {school} erhalten. Die Schule hat diese App eingerichtet.

Das darf sie: {permissions}

{facts}

${manage}`,
  },
  new_sign_in: {
    subject: 'Neue Anmeldung bei deinem Konto bei {school}',
    text: `Jemand hat sich mit einem Browser, der dafür noch nicht verwendet wurde, bei deinem Konto bei {school} angemeldet.

{facts}

${replacePassword}

Sieh dir danach die Apps an, die Zugriff auf dein Konto haben, und entferne alle, die du nicht kennst.

{apps}`,
  },
  password_changed: {
    subject: 'Dein Passwort bei {school} wurde geändert',
    text: `Das Passwort deines Kontos bei {school} wurde geändert. Andere Browser wurden abgemeldet.

{facts}

Wenn du das warst, musst du nichts tun.

Wenn du das nicht warst, wähle jetzt ein anderes, und trenne dabei alle Apps von deinem Konto.

{reset}`,
  },
  email_changed: {
    subject: 'Deine E-Mail-Adresse bei {school} wurde geändert',
    text: `Dein Konto bei {school} verwendet ab jetzt eine andere E-Mail-Adresse. Mit dieser hier kannst du dich nicht mehr anmelden, und du erhältst hier keine weiteren E-Mails.

{facts}

Wenn du das nicht warst, wende dich sofort an die Schule:

{contact}`,
  },
  email_changed_to: {
    subject: 'Deine E-Mail-Adresse bei {school} wurde geändert',
    text: `Dein Konto bei {school} verwendet jetzt diese E-Mail-Adresse. Melde dich ab jetzt damit an.

{facts}

Wenn du das nicht warst, hat jemand deine Adresse für sein Konto verwendet. Wende dich an die Schule:

{contact}`,
  },
  passkey_added: {
    subject: 'Ein Passkey wurde zu deinem Konto bei {school} hinzugefügt',
    text: `Zu deinem Konto bei {school} wurde ein Passkey hinzugefügt. Man kann sich damit anmelden.

{facts}

${replacePassword}

Entferne danach den Passkey auf dieser Seite.

{security}`,
  },
  passkey_removed: {
    subject: 'Ein Passkey wurde aus deinem Konto bei {school} entfernt',
    text: `Aus deinem Konto bei {school} wurde ein Passkey entfernt. Man kann sich damit nicht mehr anmelden.

{facts}

${replacePassword}

Prüfe danach auf dieser Seite, wie du dich anmeldest.

{security}`,
  },
  authenticator_added: {
    subject: 'Eine Authenticator-App wurde zu deinem Konto bei {school} hinzugefügt',
    text: `Für die Anmeldung bei deinem Konto bei {school} ist jetzt zusätzlich zum Passwort ein Code aus einer Authenticator-App nötig.

{facts}

${replacePassword}

Entferne danach die Authenticator-App auf dieser Seite.

{security}`,
  },
  authenticator_removed: {
    subject: 'Die Authenticator-App wurde aus deinem Konto bei {school} entfernt',
    text: `Für die Anmeldung bei deinem Konto bei {school} ist kein Code aus einer Authenticator-App mehr nötig.

{facts}

${replacePassword}

Richte danach deine Authenticator-App auf dieser Seite wieder ein.

{security}`,
  },
  recovery_code_used: {
    subject: 'Ein Wiederherstellungscode für dein Konto bei {school} wurde verwendet',
    text: `Jemand hat sich mit einem deiner Wiederherstellungscodes bei deinem Konto bei {school} angemeldet. Unbenutzte Wiederherstellungscodes: {left}

{facts}

Wenn du das warst, streiche den Code durch. Neue Codes erhältst du auf dieser Seite.

{security}

Wenn du das nicht warst, wähle jetzt ein anderes Passwort, und erzeuge danach neue Wiederherstellungscodes.

{reset}`,
  },
  recovery_codes_renewed: {
    subject: 'Neue Wiederherstellungscodes für dein Konto bei {school}',
    text: `Für dein Konto bei {school} wurden neue Wiederherstellungscodes erzeugt. Die bisherigen gelten nicht mehr.

{facts}

Wenn du das warst, bewahre die neuen Codes sicher auf. Sonst musst du nichts tun.

Wenn du das nicht warst, wähle jetzt ein anderes Passwort. Dadurch werden alle Browser abgemeldet.

{reset}

Erzeuge danach auf dieser Seite neue Wiederherstellungscodes.

{security}`,
  },
  deletion_scheduled: {
    subject: 'Dein Konto bei {school} wird gelöscht',
    text: `Dein Konto bei {school} wird in 14 Tagen gelöscht, mit deinem Namen und deiner E-Mail-Adresse. Eine App, die du verbunden hast, hat das veranlasst. Sie nennt sich „{app}“.

{facts}

Wenn du das Konto behalten möchtest, öffne diese Seite und melde dich an.

{link}

Wenn du das nicht wolltest, entferne die App auf derselben Seite. Wenn das Konto gelöscht werden soll, musst du nichts tun.`,
  },
  deletion_requested: {
    subject: 'Dein Konto bei {school} wird gelöscht',
    text: `Dein Konto bei {school} wird in 14 Tagen gelöscht, mit deinem Namen und deiner E-Mail-Adresse. Das wurde auf der Seite deines Kontos veranlasst.

{facts}

Wenn das Konto gelöscht werden soll, musst du nichts tun. Wenn du es behalten möchtest, öffne diese Seite und melde dich an.

{apps}

Wenn du das nicht warst, behalte das Konto auf dieser Seite und wähle ein anderes Passwort.

{reset}`,
  },
  deletion_canceled: {
    subject: 'Dein Konto bei {school} wird nicht gelöscht',
    text: `Die Löschung deines Kontos bei {school} wurde aufgehoben. Das Konto bleibt, wie es ist.

{facts}

${replacePassword}`,
  },
}
