import type { connectedAppTemplates } from './connectedAppTemplates.ts'
import type { EmailTemplate } from './emailTemplates.ts'

const subject = 'Eine App wurde mit Ihrem Konto bei {school} verbunden'

const selfRegistered =
  'Eine App, die sich selbst registriert hat, hat Zugriff auf Ihr Konto bei {school} erhalten. Sie nennt sich „{app}“. Die ID der App endet mit {ending}. Die Schule hat die App und ihren Namen nicht geprüft.'

const access = `Das darf sie: {permissions}

{facts}`

const remove = `{apps}

Wenn Sie das nicht waren, entfernen Sie die App dort und wählen Sie ein anderes Passwort.

{reset}`

const manage = `Auf dieser Seite sehen Sie alle Apps mit Zugriff auf Ihr Konto und können den Zugriff dieser App beenden.

${remove}`

export const germanConnectedAppTemplates: Record<keyof typeof connectedAppTemplates, EmailTemplate> = {
  app_connected: { subject, text: `${selfRegistered}\n\n${access}\n\n${manage}` },
  app_connected_imitating: {
    subject,
    text: `${selfRegistered}

Vorsicht: Dieser Name ähnelt „{imitated}“ oder enthält dieses Wort. Vielleicht gibt sich die App als die Schule oder als jemand anderes aus.

${access}

Wenn Sie nicht sicher sind, von wem die App stammt, entfernen Sie sie auf dieser Seite.

${remove}`,
  },
  app_connected_website: {
    subject,
    text: `Eine App hat Zugriff auf Ihr Konto bei {school} erhalten. Die Website {host} beschreibt die App, die sich „{app}“ nennt. Die Schule hat die App nicht geprüft.

${access}

${manage}`,
  },
  app_connected_approved: {
    subject,
    text: `Die App „{app}“ hat Zugriff auf Ihr Konto bei {school} erhalten. Die Schule hat diese App eingerichtet.

${access}

${manage}`,
  },
}
