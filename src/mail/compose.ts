import type { SendMailOptions } from 'nodemailer'
import { logoId } from './htmlEmail.ts'
import type { Email } from './transport.ts'

/** Returns an e-mail for nodemailer: addresses as objects, so that they are not parsed, and no access to files or URLs. */
export function compose({ from, to, subject, language, text, html, logo }: Email): SendMailOptions {
  return {
    from,
    to: { name: '', address: to },
    subject,
    text,
    html,
    ...(logo && {
      attachments: [
        {
          cid: logoId,
          content: logo.content,
          contentType: logo.contentType,
          contentDisposition: 'inline',
          filename: `logo.${logo.contentType.slice('image/'.length)}`,
        },
      ],
    }),
    // Suppresses out-of-office replies (RFC 3834 section 5). Sets the language: RFC 3282.
    headers: { 'Auto-Submitted': 'auto-generated', 'Content-Language': language },
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}
