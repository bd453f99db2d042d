/** The English templates of e-mails about an app that got access to an account, by how the app became known to the school. */
export const connectedAppTemplates = {
  /** An app that registered itself. Nobody has checked its name. */
  app_connected: {
    subject: 'An app was connected to your account at {school}',
    text: `An app that registered itself got access to your account at {school}. It calls itself "{app}". Nobody at the school has checked the app or its name.

What it may do: {permissions}

{facts}

To see all apps with access to your account, and to end the access of this one, open this page:

{apps}

If it was not you, remove the app there and choose another password:

{reset}`,
  },
  /** `imitated` is the name or the word in the name of the app that belongs to somebody else. */
  app_connected_imitating: {
    subject: 'An app was connected to your account at {school}',
    text: `An app that registered itself got access to your account at {school}. It calls itself "{app}". Nobody at the school has checked the app or its name.

Be careful: this name resembles or contains "{imitated}". The app may be pretending to be the school or someone else.

What it may do: {permissions}

{facts}

If you are not sure who made the app, remove it on this page:

{apps}

If it was not you, remove the app there and choose another password:

{reset}`,
  },
  /** An app that the website `host` describes. */
  app_connected_website: {
    subject: 'An app was connected to your account at {school}',
    text: `An app got access to your account at {school}. The website {host} describes the app, which calls itself "{app}". Nobody at the school has checked the app.

What it may do: {permissions}

{facts}

To see all apps with access to your account, and to end the access of this one, open this page:

{apps}

If it was not you, remove the app there and choose another password:

{reset}`,
  },
  /** An app that the operator of the school has set up. */
  app_connected_approved: {
    subject: 'An app was connected to your account at {school}',
    text: `The app "{app}" got access to your account at {school}. The school has set up this app.

What it may do: {permissions}

{facts}

To see all apps with access to your account, and to end the access of this one, open this page:

{apps}

If it was not you, remove the app there and choose another password:

{reset}`,
  },
} as const
