/** A message that is ready to go. */
export interface Email {
  from: { name: string; address: string }
  /** One address; nothing is read out of it. */
  to: string
  subject: string
  /** The language that it is written in. */
  language: string
  /** Plain text. */
  text: string
}

/** Where messages go: a mail server, a folder, a test. */
export interface MailTransport {
  deliver(email: Email): Promise<void>
  /** What an operator should know of it at the start. */
  describe(): string
  close(): void
}
