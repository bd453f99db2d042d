import { connectedAppTemplates } from './connectedAppTemplates.ts'

/**
 * The English templates of e-mails about the security of an account. `{facts}` shows when and from where something was done; `{reset}`,
 * `{apps}` and `{security}` are pages of the account.
 */
export const securityTemplates = {
  ...connectedAppTemplates,
  /** A sign-in from a browser that has not signed in to the account before. */
  new_sign_in: {
    subject: 'New sign-in to your account at {school}',
    text: `Someone signed in to your account at {school} from a browser that has not been used for it before.

{facts}

If it was you, you do not have to do anything.

If it was not you, choose another password now. This signs out every browser.

{reset}

Then check which apps have access to your account, and remove those that you do not know.

{apps}`,
  },
  password_changed: {
    subject: 'Your password at {school} was changed',
    text: `The password of your account at {school} was changed. Other browsers were signed out.

{facts}

If it was you, you do not have to do anything.

If it was not you, choose another password now, and disconnect all apps when you do.

{reset}`,
  },
  /** Sent to the previous address. `contact` is the contact of the school. */
  email_changed: {
    subject: 'Your e-mail address at {school} was changed',
    text: `Your account at {school} now uses another e-mail address. You can no longer sign in with this one, and you will get no more e-mails here.

{facts}

If it was not you, contact the school immediately:

{contact}`,
  },
  email_changed_to: {
    subject: 'Your e-mail address at {school} was changed',
    text: `Your account at {school} now uses this e-mail address. Sign in with it from now on.

{facts}

If it was not you, someone has used your address for their account. Contact the school:

{contact}`,
  },
  passkey_added: {
    subject: 'A passkey was added to your account at {school}',
    text: `A passkey was added to your account at {school}. It can be used to sign in.

{facts}

If it was you, you do not have to do anything.

If it was not you, choose another password now. This signs out every browser.

{reset}

Then remove the passkey on this page.

{security}`,
  },
  passkey_removed: {
    subject: 'A passkey was removed from your account at {school}',
    text: `A passkey was removed from your account at {school}. It can no longer be used to sign in.

{facts}

If it was you, you do not have to do anything.

If it was not you, choose another password now. This signs out every browser.

{reset}

Then check how you sign in on this page.

{security}`,
  },
  authenticator_added: {
    subject: 'An authenticator app was added to your account at {school}',
    text: `Signing in to your account at {school} now requires a code from an authenticator app, in addition to the password.

{facts}

If it was you, you do not have to do anything.

If it was not you, choose another password now. This signs out every browser.

{reset}

Then remove the authenticator app on this page.

{security}`,
  },
  authenticator_removed: {
    subject: 'The authenticator app was removed from your account at {school}',
    text: `Signing in to your account at {school} no longer requires a code from an authenticator app.

{facts}

If it was you, you do not have to do anything.

If it was not you, choose another password now. This signs out every browser.

{reset}

Then set up your authenticator app again on this page.

{security}`,
  },
  recovery_code_used: {
    subject: 'A recovery code was used for your account at {school}',
    text: `Someone signed in to your account at {school} with one of your recovery codes. Unused recovery codes: {left}

{facts}

If it was you, cross out the code. You can get new codes on this page.

{security}

If it was not you, choose another password now, and get new recovery codes afterwards.

{reset}`,
  },
  recovery_codes_renewed: {
    subject: 'New recovery codes for your account at {school}',
    text: `New recovery codes were created for your account at {school}. The earlier ones no longer work.

{facts}

If it was you, keep the new codes in a safe place. You do not have to do anything else.

If it was not you, choose another password now. This signs out every browser.

{reset}

Then get new recovery codes on this page.

{security}`,
  },
  /** `app` is the app that requested the deletion. Until the account is deleted, the deletion can be cancelled. */
  deletion_scheduled: {
    subject: 'Your account at {school} will be deleted',
    button: 'Keep the account',
    text: `Your account at {school} will be deleted in 14 days, together with your name and your e-mail address. An app that you connected requested this. It calls itself "{app}".

{facts}

To keep the account, open this page and sign in.

{link}

If you did not ask for this, remove the app on the same page. If you want the account to be deleted, you do not have to do anything.`,
  },
  deletion_requested: {
    subject: 'Your account at {school} will be deleted',
    text: `Your account at {school} will be deleted in 14 days, together with your name and your e-mail address. This was requested on the page of your account.

{facts}

If you want the account to be deleted, you do not have to do anything. To keep it, open this page and sign in.

{apps}

If it was not you, keep the account on that page and choose another password.

{reset}`,
  },
  deletion_canceled: {
    subject: 'Your account at {school} will not be deleted',
    text: `The deletion of your account at {school} was cancelled. The account stays as it is.

{facts}

If it was you, you do not have to do anything.

If it was not you, choose another password now. This signs out every browser.

{reset}`,
  },
} as const
