export const outboxKinds = [
  'urgent_email',
  'email',
  'bulk_email',
  'sign_up_request',
  'password_reset_request',
  'account_notice',
  'webhook',
] as const

/** Kinds whose rows are e-mails with an address. Each is delivered separately, so that none waits for a backlog of another. */
export const addressedEmailKinds = ['urgent_email', 'email', 'bulk_email'] as const

/** Kinds whose rows are e-mails. */
export const outboxEmailKinds = [...addressedEmailKinds, 'account_notice'] as const satisfies readonly (typeof outboxKinds)[number][]

export type OutboxKind = (typeof outboxKinds)[number]
