/** The kinds of secrets that a place issues, as `issueSecrets` names them; or the reason why it issues none. */
type Source = readonly string[] | string

const encrypts = 'encrypts for the database; the result grants no access'

/**
 * Every place in the source that draws random bits, signs or encrypts: file, and call with its purpose. `secretSources.test.ts` compares it
 * with the source, so a new secret has to be added here, and to the flow that is searched for leaks.
 */
export const secretSources: Readonly<Record<string, Source>> = {
  'src/operate/cli/channel/forwardCommand.ts randomToken': 'a nonce: shows that the service has the operator key, once',
  'src/operate/cli/channel/runRemotely.ts randomToken': 'the id of a command',
  'src/operate/doctor/flowChecks.ts randomToken': 'the password and the verifier of the test person of doctor, who is removed',
  'src/operate/doctor/gatewayChecks.ts sign probes': 'shows that a request comes from doctor, for a minute',
  'src/operate/cli/call/callApi.ts sign cursors': 'a position in a list; grants no access',
  'src/operate/cli/call/callPlatform.ts randomUUID': 'the reference of a report',
  'src/operate/cli/rotateKeys.ts seal signing keys': encrypts,
  'src/config/dataDirectory.ts randomUUID': 'the name of a file',
  'src/config/integration.ts randomBytes': 'a command in a description',
  'src/config/secrets.ts randomInt': 'the generated password of the demo school, printed for the operator',
  'src/config/secrets.ts randomToken': ['root secret'],
  'src/config/secrets.ts randomUUID': 'the name of a file',
  'src/school/account/calendarFeed.ts randomToken': ['calendar address', 'replaced calendar address'],
  'src/identity/accounts/createMailedLink.ts randomToken': ['reset link', 'sign-up link', 'e-mail change link'],
  'src/identity/accounts/password.ts randomBytes': 'the salt of a password hash',
  'src/school/coupons/generateCoupons.ts randomInt': 'coupon codes, which staff read and print',
  'src/school/learning/issuedCertificates.ts randomInt': 'the public number of a certificate',
  'src/school/notifications/unsubscribe.ts sign unsubscribe links':
    'a link in e-mails: turns off e-mails of one kind, and grants no access',
  'src/identity/factors/appSecret.ts new Secret': ['TOTP secret'],
  'src/identity/factors/authenticatorApp.ts seal authenticator apps': encrypts,
  'src/identity/factors/challenges.ts randomToken': ['passkey challenge'],
  'src/identity/factors/challenges.ts sign passkey challenges': ['passkey challenge'],
  'src/identity/factors/recoveryCodes.ts randomInt': ['used recovery code', 'unused recovery code'],
  'src/identity/factors/recoveryCodes.ts randomToken': 'the salt of the hashes of recovery codes',
  'src/database/statements/rotateSealed.ts seal kept keys': encrypts,
  'src/database/statements/rotateSealed.ts seal purpose': encrypts,
  'src/identity/factors/recoveryCodes.ts sign recovery codes': 'the hash of a recovery code',
  'src/base/ids.ts randomUUID': 'ids of rows',
  'src/base/keyring.ts randomBytes': 'the nonce of an encryption, and randomToken itself',
  'src/identity/oidc/adapter.ts seal artifacts': encrypts,
  'src/identity/oidc/clientOptions.ts randomToken': ['client secret', 'secret of an integration', 'replaced secret of an integration'],
  'src/identity/oidc/tokenAnswers.ts randomBytes':
    'the name of a response in Redis, which only the holder of the used code or token can read',
  'src/identity/oidc/signingKeys.ts generateKeyPair': ['signing key'],
  'src/identity/oidc/signingKeys.ts seal signing keys': encrypts,
  'src/pages/account/confirmation.ts seal confirmations': ['cookie sg_confirmed'],
  'src/pages/account/keptForms.ts randomToken': 'the name of kept text, which only the same account in the same browser gets back',
  'src/pages/account/keptForms.ts seal kept forms': encrypts,
  'src/pages/account/signInCookie.ts seal sign-in steps': ['cookie sg_sign_in'],
  'src/pages/csrf.ts randomToken': ['cookie sg_browser'],
  'src/pages/csrf.ts seal kept forms': 'names the account and the browser of a form; grants no access',
  'src/pages/csrf.ts sign csrf': ['form token'],
  'src/pages/forms/formStamp.ts sign forms': 'shows when a public form was opened; grants no access',
  'src/pages/knownBrowser.ts randomToken': ['cookie sg_known'],
  'src/pages/knownBrowser.ts sign known browsers': ['cookie sg_known'],
  'src/pages/secondFactor/appSetup.ts seal authenticator apps': ['TOTP secret'],
  'src/operate/compose/externalServices.ts seal approvals': encrypts,
  'src/operate/compose/externalServices.ts seal calendars': encrypts,
  'src/operate/compose/externalServices.ts seal purpose': 'encrypts for the purposes that this file names',
  'src/operate/compose/externalServices.ts seal stored responses': encrypts,
  'src/operate/compose/externalServices.ts seal undo': encrypts,
  'src/operate/compose/files.ts sign purpose': ['upload URL', 'download URL'],
  'src/operate/compose/foundation.ts sign cursors': 'a position in a list; grants no access',
  'src/operate/serve/operatorEndpoint.ts randomToken': 'the key of commands to a service with the embedded database, in a file of DATA_DIR',
  'src/operate/metrics/otlpTracing.ts randomUUID': 'the id of a process in traces',
  'src/operate/compose/outbox.ts seal outbox': encrypts,
}

/** The models that the engine stores, with the secrets that identify them. */
export const engineSecrets: Readonly<Record<string, Source>> = {
  AccessToken: ['access_token', 'access_token of a revoked grant'],
  AuthorizationCode: ['authorization code'],
  RefreshToken: ['refresh_token', 'refresh token that was used', 'refresh_token of a revoked grant'],
  RefreshAnswer: ['access_token', 'refresh_token'],
  Session: ['session cookie'],
  Interaction: ['id of an interaction'],
  EndedInteraction: ['id of an interaction', 'authorization code'],
}

/** Secrets that come from people, clients and the operator. */
const received = ['password', 'mistyped password', 'PKCE verifier', 'wrong client secret', 'webhook secret', 'platform key', 'id_token']

/** Every kind of secret that must be searched for. */
export const issuedKinds: readonly string[] = [
  ...new Set([
    ...[...Object.values(secretSources), ...Object.values(engineSecrets)].flatMap((source) => (typeof source === 'string' ? [] : source)),
    ...received,
  ]),
]
