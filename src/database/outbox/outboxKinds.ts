export const outboxKinds = ['email', 'bulk_email', 'sign_up_request', 'password_reset_request', 'account_notice', 'webhook'] as const

/** Kinds whose rows are e-mails. */
export const outboxEmailKinds = ['email', 'bulk_email', 'account_notice'] as const satisfies readonly (typeof outboxKinds)[number][]

export type OutboxKind = (typeof outboxKinds)[number]
