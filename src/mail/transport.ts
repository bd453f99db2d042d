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
  /** An HTML document with the same words. */
  html: string
  /** The picture that the HTML shows. It is a part of the message. */
  logo?: EmailLogo | undefined
}

/** A school's logo, for e-mails. Width and height are in pixels. */
export interface EmailLogo {
  content: Buffer
  contentType: 'image/png' | 'image/jpeg' | 'image/gif'
  alt: string
  width: number
  height: number
  /** The colour behind it. */
  plate: string
}

/** A destination of e-mails: an SMTP server, a folder, a test. */
export interface MailTransport {
  deliver(email: Email): Promise<void>
  /** Warning that is logged at the start. */
  describe(): string
  close(): void
}
