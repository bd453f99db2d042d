import type { SendMailOptions } from 'nodemailer'
import { logoId } from './htmlEmail.ts'
import type { Email, EmailLogo } from './transport.ts'

/** Returns an e-mail for nodemailer: addresses as objects, so that they are not parsed, and no access to files or URLs. */
export function compose({ from, to, subject, language, text, html, logo, calendar, unsubscribe }: Email): SendMailOptions {
  return {
    from,
    to: { name: '', address: to },
    subject,
    text,
    html,
    attachments: [...(logo ? [logoAttachment(logo)] : []), ...(calendar === undefined ? [] : [calendarAttachment(calendar)])],
    // Suppresses out-of-office replies (RFC 3834 section 5). Sets the language: RFC 3282.
    headers: { 'Auto-Submitted': 'auto-generated', 'Content-Language': language, ...(unsubscribe && unsubscribeHeaders(unsubscribe)) },
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

/** RFC 8058 section 3.1: mail programs show a button that sends the POST. */
const unsubscribeHeaders = (url: string) => ({ 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' })

const logoAttachment = ({ content, contentType }: EmailLogo) => ({
  cid: logoId,
  content,
  contentType,
  contentDisposition: 'inline' as const,
  filename: `logo.${contentType.slice('image/'.length)}`,
})

const calendarAttachment = (content: string) => ({
  content,
  contentType: 'text/calendar; charset=utf-8; method=PUBLISH',
  contentDisposition: 'attachment' as const,
  filename: 'event.ics',
})
