import type { connectedAppTemplates } from './connectedAppTemplates.ts'
import type { EmailTemplate } from './emailTemplates.ts'

/** The German templates of e-mails about an app that got access to an account. */
export const germanConnectedAppTemplates: Record<keyof typeof connectedAppTemplates, EmailTemplate> = {
  app_connected: {
    subject: 'Eine App wurde mit Ihrem Konto bei {school} verbunden',
    text: `Eine App, die sich selbst angemeldet hat, hat Zugriff auf Ihr Konto bei {school} erhalten. Sie nennt sich „{app}“. Niemand an der Schule hat die App oder ihren Namen geprüft.

Das darf sie: {permissions}

{facts}

Auf dieser Seite sehen Sie alle Apps mit Zugriff auf Ihr Konto und können den Zugriff dieser App beenden:

{apps}

Wenn Sie das nicht waren, entfernen Sie die App dort und wählen Sie ein anderes Passwort:

{reset}`,
  },
  app_connected_imitating: {
    subject: 'Eine App wurde mit Ihrem Konto bei {school} verbunden',
    text: `Eine App, die sich selbst angemeldet hat, hat Zugriff auf Ihr Konto bei {school} erhalten. Sie nennt sich „{app}“. Niemand an der Schule hat die App oder ihren Namen geprüft.

Vorsicht: Dieser Name ähnelt „{imitated}“ oder enthält dieses Wort. Vielleicht gibt sich die App als die Schule oder als jemand anderes aus.

Das darf sie: {permissions}

{facts}

Wenn Sie nicht sicher sind, von wem die App stammt, entfernen Sie sie auf dieser Seite:

{apps}

Wenn Sie das nicht waren, entfernen Sie die App dort und wählen Sie ein anderes Passwort:

{reset}`,
  },
  app_connected_website: {
    subject: 'Eine App wurde mit Ihrem Konto bei {school} verbunden',
    text: `Eine App hat Zugriff auf Ihr Konto bei {school} erhalten. Die Website {host} beschreibt die App, die sich „{app}“ nennt. Niemand an der Schule hat die App geprüft.

Das darf sie: {permissions}

{facts}

Auf dieser Seite sehen Sie alle Apps mit Zugriff auf Ihr Konto und können den Zugriff dieser App beenden:

{apps}

Wenn Sie das nicht waren, entfernen Sie die App dort und wählen Sie ein anderes Passwort:

{reset}`,
  },
  app_connected_approved: {
    subject: 'Eine App wurde mit Ihrem Konto bei {school} verbunden',
    text: `Die App „{app}“ hat Zugriff auf Ihr Konto bei {school} erhalten. Die Schule hat diese App eingerichtet.

Das darf sie: {permissions}

{facts}

Auf dieser Seite sehen Sie alle Apps mit Zugriff auf Ihr Konto und können den Zugriff dieser App beenden:

{apps}

Wenn Sie das nicht waren, entfernen Sie die App dort und wählen Sie ein anderes Passwort:

{reset}`,
  },
}
