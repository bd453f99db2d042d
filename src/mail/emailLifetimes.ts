import type { EmailKind } from './emailTemplates.ts'

const hour = 3600

/** How long e-mails with a link that expires are worth sending, in seconds. */
const withExpiringLink: Partial<Record<EmailKind, number>> = { sign_up: hour, password_reset: hour, email_change: hour }

/** Returns how long the delivery of an e-mail is attempted, in seconds. */
export const emailLifetimeSeconds = (kind: EmailKind): number => withExpiringLink[kind] ?? 3 * 24 * hour
