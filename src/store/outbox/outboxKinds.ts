/** The kinds of work in the outbox. */
export const outboxKinds = ['email', 'sign_up_request', 'password_reset_request', 'account_notice', 'webhook'] as const

export type OutboxKind = (typeof outboxKinds)[number]
