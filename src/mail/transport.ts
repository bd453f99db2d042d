/** An e-mail that is ready to be sent. */
export interface Email {
  from: { name: string; address: string }
  /** A single address; it is not parsed. */
  to: string
  subject: string
  /** Language of the text. */
  language: string
  /** Plain text. */
  text: string
}

/** A destination of e-mails: an SMTP server, a folder, a test. */
export interface MailTransport {
  deliver(email: Email): Promise<void>
  /** Warning that is logged at the start. */
  describe(): string
  close(): void
}
