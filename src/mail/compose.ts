import type { SendMailOptions } from 'nodemailer'
import type { Email } from './transport.ts'

/** A letter as nodemailer takes it: addresses as objects, so that none is parsed, and nothing fetched from files or the network. */
export function compose({ from, to, subject, language, text }: Email): SendMailOptions {
  return {
    from,
    to: { name: '', address: to },
    subject,
    text,
    // Nobody's absence is answered to (RFC 3834 section 5). The language: RFC 3282.
    headers: { 'Auto-Submitted': 'auto-generated', 'Content-Language': language },
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}
