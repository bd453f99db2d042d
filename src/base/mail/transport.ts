export interface Email {
  from: { name: string; address: string }
  /** A single address; it is not parsed. */
  to: string
  subject: string
  language: string
  text: string
  /** An HTML document with the same words. */
  html: string
  logo?: EmailLogo | undefined
  /** An iCalendar object (RFC 5545) that the person can add to a calendar. */
  calendar?: string | undefined
  /** URL that turns e-mails of this kind off, with one POST and without signing in. */
  unsubscribe?: string | undefined
}

export interface EmailLogo {
  content: Buffer
  contentType: 'image/png' | 'image/jpeg' | 'image/gif'
  alt: string
  width: number
  height: number
  plate: string
}

/**
 * How many e-mails are delivered at a time, by the kind of work. An SMTP transport has a connection for each, so that a new password does not
 * wait in its queue. With one at a time, a worker would look twice for each notice: it looks for more after a full claim.
 */
export const emailConcurrency = { urgent_email: 1, account_notice: 2, email: 2, bulk_email: 2 } as const

/** A destination of e-mails: an SMTP server, a folder, a test. */
export interface MailTransport {
  deliver(email: Email): Promise<void>
  /** Warning that is logged at the start. */
  describe(): string
  close(): void
}
