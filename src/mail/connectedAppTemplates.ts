const subject = 'An app was connected to your account at {school}'

const selfRegistered =
  'An app that registered itself got access to your account at {school}. It calls itself "{app}". The ID of the app ends in {ending}. The school has not checked the app or its name.'

const access = `What it may do: {permissions}

{facts}`

const remove = `{apps}

If it was not you, remove the app there and choose another password.

{reset}`

const manage = `To see all apps with access to your account, and to end the access of this one, open this page.

${remove}` as const

/** The English templates of e-mails about an app that got access to an account, by how the app became known to the school. */
export const connectedAppTemplates = {
  app_connected: { subject, text: `${selfRegistered}\n\n${access}\n\n${manage}` },
  /** `imitated` is the name or the word in the name of the app that belongs to somebody else. */
  app_connected_imitating: {
    subject,
    text: `${selfRegistered}

Be careful: this name resembles or contains "{imitated}". The app may be pretending to be the school or someone else.

${access}

If you are not sure who made the app, remove it on this page.

${remove}`,
  },
  app_connected_website: {
    subject,
    text: `An app got access to your account at {school}. The website {host} describes the app, which calls itself "{app}". The school has not checked the app.

${access}

${manage}`,
  },
  app_connected_approved: {
    subject,
    text: `The app "{app}" got access to your account at {school}. The school has set up this app.

${access}

${manage}`,
  },
} as const
