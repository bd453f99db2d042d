import type { EmailKind, EmailValues } from '../mail/emailTemplates.ts'
import type { Recipient, SendEmail } from '../mail/mail.ts'

export type { Recipient }

/** The e-mails to people, and the values of each. Both follow from the templates in src/mail/emailTemplates.ts. */
export type Messages = { [Kind in EmailKind]: EmailValues<Kind> }

export type MessageKind = EmailKind

export type SendMessage = SendEmail

/** Returns an untrusted name for an e-mail: short, without quotes, and without text that mail programs turn into a link. */
export const quotedName = (name: string): string =>
  Array.from(name.replace(/["“”„«»]/g, "'").replace(/[.:/@]+(?=\S)/g, '$& '))
    .slice(0, 80)
    .join('')
