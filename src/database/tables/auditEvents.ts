// More than 250 lines: one table of every event.

export interface AuditEventKind {
  /** The sentence for docs/audit.md: what happened. */
  about: string
  /**
   * `long`: the event shows who could access what, or proves a consent. It is kept as `security_days` says, the others as `days` says.
   */
  keep: 'standard' | 'long'
  endsGrantsOf?: 'client' | 'person'
}

/** Every event of the audit trail but the writes through the API, by name: `area.what_happened`. docs/audit.md is printed from it. */
export const auditEvents = {
  'account.created': { about: 'A person created a login. `details.via` says how.', keep: 'long' },
  'account.exported': { about: 'A person downloaded their data on their account page.', keep: 'long' },
  'account.kept': { about: 'A person cancelled the scheduled deletion of their account.', keep: 'standard' },
  'account.signed_out_everywhere': {
    about: 'A person ended all their browser sessions. If `details.with_apps` is true, each ended grant has an entry `grant.revoked`.',
    keep: 'long',
  },
  'activity.emails_stopped': {
    about: 'E-mails about a change of an app were stopped before they left. `details.activity` is the id of the change.',
    keep: 'standard',
  },
  'activity.undone': {
    about: 'Changes were taken back. `details.undone` has the ids of the entries.',
    keep: 'standard',
  },
  'authenticator_app.removed': { about: 'A person removed their authenticator app.', keep: 'long' },
  'authenticator_app.set_up': { about: 'A person set up an authenticator app.', keep: 'long' },
  'client.disabled_by_file': {
    about: 'The configuration no longer lists or accepts a client: its tokens are revoked.',
    keep: 'long',
    endsGrantsOf: 'client',
  },
  'client.document_accepted': {
    about: 'A client that identifies itself by a metadata document was seen for the first time.',
    keep: 'long',
  },
  'client.document_changed': { about: 'The metadata document of a client changed.', keep: 'long' },
  'client.registered': { about: 'A client registered itself. `details.client_name` is the name that it gave itself.', keep: 'long' },
  'app.unusual': {
    about:
      'An app exceeded a limit that the owners of the school watch. Recorded once a day for each signal. `details` has the signal, the count and the limit.',
    keep: 'long',
  },
  'approval.approved': {
    about: 'A person allowed a request of an app that had asked first. `details.decision` is `once` or `kind`.',
    keep: 'long',
  },
  'approval.requested': {
    about:
      'Requests of apps wait for a person, who got an e-mail. Recorded at most once an hour for each person. `details.waiting` counts them.',
    keep: 'long',
  },
  'approval.refused': { about: 'A person refused a request of an app that had asked first.', keep: 'long' },
  'code.answered_again': {
    about:
      'A client repeated the exchange of a code within the refresh window and got the same response. Its first one was lost, or two ran.',
    keep: 'standard',
  },
  'code.replayed': {
    about:
      'A used authorization code was presented again, too late or without its verifier. The grant and all its tokens are revoked (RFC 9700 section 4.5).',
    keep: 'long',
  },
  'comment.moderated': {
    about: 'An owner or admin decided about a comment on the page of the comments. `details.decision` says how.',
    keep: 'standard',
  },
  'comment.written': {
    about: 'A person wrote, changed or deleted a comment on a page of the school. `details.action` says which.',
    keep: 'standard',
  },
  'configuration.changed': {
    about:
      'The service runs with another configuration. `details.keys` names the settings of this school and of all schools that changed, without values; `process` is the user and the machine, `trigger` is `start`, `signal` or `command`.',
    keep: 'long',
  },
  'configuration.rejected': {
    about: 'A reload of the configuration failed, and the former one stays. `details.errors` counts the errors, which are in the log.',
    keep: 'standard',
  },
  'confirmation.failed': {
    about: 'A signed-in person entered a wrong password or code to confirm a sensitive change.',
    keep: 'standard',
  },
  'consent.granted': {
    about: 'A person allowed a client to access their account. `details` has the scopes and the browser.',
    keep: 'long',
  },
  'consent.refused': { about: 'An authorization request ended without a grant. `details.reason` says why.', keep: 'standard' },
  'email.changed': { about: 'A person confirmed a new e-mail address.', keep: 'long' },
  'grant.asks_first': { about: 'A person lets an app ask before it does what cannot be undone.', keep: 'long' },
  'grant.asks_no_more': { about: 'A person lets an app do what cannot be undone without asking.', keep: 'long' },
  'grant.continued': { about: 'A person continued an app that they had paused.', keep: 'long' },
  'grant.end_changed': {
    about: 'A person extended or shortened the access of an app. `details` has the former and the new end.',
    keep: 'long',
  },
  'grant.paused': { about: 'A person paused an app: its calls to the API are refused, and its tokens stay.', keep: 'long' },
  'grant.revoked': {
    about:
      'A grant and all its tokens were revoked. `details.by` is `person` (on a page), `api` (a call to the API by the client `details.client`), `school` (its staff; `details.staff` says who) or `deletion` (the scheduled deletion of the account).',
    keep: 'long',
  },
  'operator.analytics_rebuilt': { about: 'An operator computed the daily figures again.', keep: 'standard' },
  'operator.backup_made': { about: 'An operator made a backup of this installation.', keep: 'long' },
  'operator.client_deleted': { about: 'An operator deleted a client.', keep: 'long', endsGrantsOf: 'client' },
  'operator.client_disabled': { about: 'An operator disabled a client.', keep: 'long', endsGrantsOf: 'client' },
  'operator.client_enabled': { about: 'An operator enabled a client.', keep: 'long' },
  'operator.clients_pruned': { about: 'An operator deleted unused registrations.', keep: 'standard' },
  'operator.command': {
    about: 'The service ran a command of an operator. Details name the command, without its arguments.',
    keep: 'standard',
  },
  'operator.database_copied': { about: 'An operator copied the database of this installation to another one.', keep: 'long' },
  'operator.demo_loaded': { about: 'An operator loaded the demo school.', keep: 'standard' },
  'operator.demo_removed': { about: 'An operator removed the demo school.', keep: 'standard' },
  'operator.grant_revoked': { about: 'An operator revoked a grant and all its tokens.', keep: 'long' },
  'operator.grants_revoked': { about: 'An operator revoked every grant of a person.', keep: 'long', endsGrantsOf: 'person' },
  'operator.integration_added': { about: 'An operator added an integration.', keep: 'long' },
  'operator.integration_removed': { about: 'An operator removed an integration.', keep: 'long', endsGrantsOf: 'client' },
  'operator.grants_moved': { about: 'An operator moved the grants of a former issuer of the school to the current one.', keep: 'long' },
  'operator.job_run': { about: 'An operator ran a background job.', keep: 'standard' },
  'operator.key_retired': { about: 'An operator retired a signing key.', keep: 'long' },
  'operator.keys_rotated': { about: 'An operator rotated the signing keys.', keep: 'long' },
  'operator.log_level_set': { about: 'An operator changed the log level of this installation for a while.', keep: 'standard' },
  'operator.migrated': { about: 'An operator applied migrations.', keep: 'standard' },
  'operator.numbers_raised': {
    about: 'An operator let the numbers of orders, invoices or credit notes continue after a higher one.',
    keep: 'long',
  },
  'operator.order_canceled': { about: 'An operator cancelled an order.', keep: 'standard' },
  'operator.order_paid': { about: 'An operator recorded the payment of an order.', keep: 'standard' },
  'operator.order_refunded': { about: 'An operator recorded a refund.', keep: 'standard' },
  'operator.outbox_discarded': { about: 'An operator deleted work of the outbox.', keep: 'standard' },
  'operator.outbox_released': {
    about: 'An operator released the e-mails and webhooks that were held after a restore, or discarded them.',
    keep: 'standard',
  },
  'operator.outbox_replayed': { about: 'An operator repeated work of the outbox that was given up.', keep: 'standard' },
  'operator.password_set': { about: "An operator set a person's password.", keep: 'long' },
  'operator.person_created': { about: 'An operator created a login.', keep: 'long' },
  'operator.person_disabled': { about: 'An operator disabled a login.', keep: 'long' },
  'operator.person_enabled': { about: 'An operator enabled a login.', keep: 'long' },
  'operator.person_erased': { about: 'An operator erased a person.', keep: 'long', endsGrantsOf: 'person' },
  'operator.restored': {
    about:
      'The database of this installation was restored from a backup, or moved to another server. `details.how` says how it was noticed, `details.backup_of` the time of the backup if it is known.',
    keep: 'long',
  },
  'operator.role_set': { about: 'An operator changed the role of a person.', keep: 'long' },
  'operator.school_created': { about: 'An operator created the school.', keep: 'long' },
  'operator.school_exported': { about: 'An operator exported everything of the school.', keep: 'long' },
  'operator.school_imported': { about: 'An operator added the school from an export.', keep: 'long' },
  'operator.school_removed': { about: 'An operator removed another school of this installation.', keep: 'long' },
  'operator.second_factor_removed': { about: 'An operator removed every second factor of a person.', keep: 'long' },
  'operator.secret_rotated': { about: 'An operator generated a new secret for an integration.', keep: 'long' },
  'operator.secrets_rotated': {
    about: 'An operator encrypted what is stored with the newest secret. `details.leaked` is true if an older secret had leaked.',
    keep: 'long',
  },
  'operator.storage_accepted': { about: 'An operator made another file storage the one of the database.', keep: 'long' },
  'operator.subscription_failed': { about: 'An operator recorded a failed payment of a subscription.', keep: 'standard' },
  'operator.subscription_paid': { about: 'An operator recorded the payment of a subscription.', keep: 'standard' },
  'operator.subscription_started': { about: 'An operator started a subscription.', keep: 'standard' },
  'operator.webhooks_replayed': { about: 'An operator sent webhooks again.', keep: 'standard' },
  'passkey.added': { about: 'A person added a passkey. `details.name` is the name that they gave it.', keep: 'long' },
  'passkey.copied': { about: 'A passkey answered with an old counter: it may have been copied. The answer was rejected.', keep: 'long' },
  'passkey.removed': { about: 'A person removed a passkey.', keep: 'long' },
  'password.changed': { about: 'A password was changed. `details.via` says how.', keep: 'long' },
  'password.reset_requested': { about: 'A link to set a new password was requested for an account.', keep: 'standard' },
  'platform.comment_created': { about: 'Another system of the school reported a comment.', keep: 'standard' },
  'platform.comment_moderated': { about: 'Another system of the school approved, hid or deleted a comment.', keep: 'standard' },
  'platform.form_saved': { about: 'Another system of the school added or changed a form.', keep: 'standard' },
  'platform.form_submitted': { about: 'Another system of the school reported a form submission.', keep: 'standard' },
  'platform.order_canceled': { about: 'Another system of the school cancelled an unpaid order.', keep: 'standard' },
  'platform.order_created': { about: 'Another system of the school started the checkout of an order.', keep: 'standard' },
  'platform.order_failed': { about: 'Another system of the school reported a declined payment.', keep: 'standard' },
  'platform.order_paid': {
    about: 'Another system of the school reported a payment. `details.reference` is its identifier.',
    keep: 'standard',
  },
  'platform.order_refunded': { about: 'Another system of the school reported a refund.', keep: 'standard' },
  'platform.seats_released': { about: 'Another system of the school released seats of an event.', keep: 'standard' },
  'platform.seats_reserved': { about: 'Another system of the school reported seats that it sold.', keep: 'standard' },
  'recovery_code.used': { about: 'A recovery code replaced the second factor of a person once.', keep: 'long' },
  'recovery_codes.renewed': { about: 'A person replaced their recovery codes.', keep: 'long' },
  'refresh_token.answered_again': {
    about: 'A client repeated a refresh within the refresh window and got the same response. Parallel agents do this.',
    keep: 'standard',
  },
  'refresh_token.reused': {
    about: 'A used refresh token was presented again. The grant and all its tokens are revoked (RFC 9700 section 4.14).',
    keep: 'long',
  },
  'school.app_access_ended': {
    about: 'An owner or admin ended all access of a client. Each ended grant has an entry `grant.revoked`; `details.grants` counts them.',
    keep: 'long',
  },
  'school.app_agreed': { about: 'An owner agreed to an app that registered itself.', keep: 'long' },
  'school.app_continued': { about: 'An owner or admin continued an app that the school had paused.', keep: 'long' },
  'school.app_disabled': { about: 'An owner or admin disabled a client.', keep: 'long', endsGrantsOf: 'client' },
  'school.app_enabled': { about: 'An owner or admin enabled a client that the school had disabled.', keep: 'long' },
  'school.app_paused': {
    about:
      'An owner or admin paused an app for everybody: its calls to the API are refused, and its tokens stay. If `details.by` is `rule`, the app did something unusual, and the school pauses such apps.',
    keep: 'long',
  },
  'school.app_rules_changed': {
    about: 'An owner changed the rules for apps. `details` has the former and the new rules.',
    keep: 'long',
  },
  'school.audit_exported': {
    about: 'An owner or admin downloaded entries of the audit trail. `details` has the filter.',
    keep: 'long',
  },
  'school.second_factor_removed': {
    about: 'An owner or admin removed the second factors of a student or member who had lost them. `details` has the account of the staff.',
    keep: 'long',
  },
  'second_factor.failed': { about: 'The password was right, and the second factor was wrong.', keep: 'standard' },
  'second_factor.unusable': {
    about:
      'A person entered a code of an authenticator app that no secret of SECRET_KEY opens any more. The operator removed one too early.',
    keep: 'standard',
  },
  'session.ended': { about: 'A person ended one of their browser sessions on their account page.', keep: 'standard' },
  'session.others_ended': {
    about: 'A person ended all their browser sessions but one. `details.sessions` is their number.',
    keep: 'standard',
  },
  'sign_in.failed': { about: 'A sign-in failed. The entry names no account.', keep: 'standard' },
  'sign_in.succeeded': { about: 'A person signed in.', keep: 'standard' },
  'token.issued': { about: 'A client redeemed an authorization code for tokens.', keep: 'standard' },
  'token.refused': { about: 'The token endpoint rejected a request. `details.error` and `details.detail` say why.', keep: 'standard' },
  'token.revoked': { about: 'A client revoked a token, and with it the grant (RFC 7009).', keep: 'long' },
} as const satisfies Record<string, AuditEventKind>

export type NamedAuditEvent = keyof typeof auditEvents

declare const isWrite: unique symbol

/** The event of a write through the API: the type of the object and the action. Only `writeEvent` returns one. */
export type WriteEvent = string & { [isWrite]: true }

export type AuditEvent = NamedAuditEvent | WriteEvent

/** Returns the event of a write to a resource through the API: `course.created`. */
export function writeEvent(object: string, action: string): WriteEvent {
  const event = `${object}.${action}`
  if (!isWriteEvent(event)) throw new Error(`${event} is not an event`)
  return event
}

const isWriteEvent = (event: string): event is WriteEvent => /^\w+\.[\w/{}]+$/.test(event)

export const isNamedEvent = (event: string): event is NamedAuditEvent => Object.hasOwn(auditEvents, event)

/** The objects of the API whose writes change who can access what. */
const objectsOfAccess: ReadonlySet<string> = new Set(['account', 'staff'])

export function isKeptLonger(event: string): boolean {
  if (isNamedEvent(event)) return auditEvents[event].keep === 'long'
  return objectsOfAccess.has(event.slice(0, event.indexOf('.')))
}

/** Returns the events that end every grant of a client or of a person. */
export const eventsEndingGrantsOf = (whose: NonNullable<AuditEventKind['endsGrantsOf']>): NamedAuditEvent[] =>
  Object.entries<AuditEventKind>(auditEvents).flatMap(([event, kind]) =>
    kind.endsGrantsOf === whose && isNamedEvent(event) ? [event] : [],
  )

const named = Object.entries<AuditEventKind>(auditEvents)

/** The events that webhooks can report, and those among them that show or change who has access. */
export const securityEvents = {
  all: named.map(([event]) => event),
  concerningAccess: named.filter(([, { keep }]) => keep === 'long').map(([event]) => event),
}
