import type { EmailKind, EmailValues } from '../../base/mail/emailKinds.ts'
import type { EmailFact, EmailFacts, EmailOccasion, TranslatedFacts, TranslatedText } from '../../base/mail/emailValues.ts'
import type { Recipient } from '../../base/mail/mail.ts'
import type { School } from '../../base/school.ts'
import type { Reader } from '../connection/database.ts'

export type { EmailFact, EmailFacts, EmailOccasion, Recipient, TranslatedFacts, TranslatedText }

/** The e-mails to people, and the values of each. Both are declared in src/base/mail/emailKinds.ts. */
export type Messages = { [Kind in EmailKind]: EmailValues<Kind> }

export type MessageKind = EmailKind

/**
 * Writes an e-mail to the outbox, which delivers it after the commit: to one recipient, or to each of several. Pass the writer of the
 * transaction that makes the change; `database.kysely` commits immediately.
 */
export type SendMessage = <Kind extends EmailKind>(
  db: Reader,
  school: School,
  to: Recipient | readonly Recipient[],
  kind: Kind,
  values: EmailValues<Kind>,
) => Promise<void>

/** Returns an untrusted name for an e-mail: short, without quotes, and without text that mail programs turn into a link. */
export const quotedName = (name: string): string => quotedText(name, 80)

/** Returns an untrusted text for an e-mail, with at most so many characters, as `quotedName`. */
export const quotedText = (text: string, length: number): string =>
  Array.from(text.replace(/["“”„«»]/g, "'").replace(/[.:/@]+(?=\S)/g, '$& '))
    .slice(0, length)
    .join('')
