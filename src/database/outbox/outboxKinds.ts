export const outboxKinds = ['email', 'bulk_email', 'sign_up_request', 'password_reset_request', 'account_notice', 'webhook'] as const

export type OutboxKind = (typeof outboxKinds)[number]
