import { type Language, languages, lookUpLanguage } from '../lib/languages.ts'
import { emailFacts } from './emailFacts.ts'
import { type EmailLegal, emailFoot } from './emailFoot.ts'
import { emailParts, type FilledValue, fillLine, plainEmail } from './emailParts.ts'
import { type EmailKind, type EmailTemplates, type EmailValues, emailTemplates } from './emailTemplates.ts'
import type { EmailFacts, TranslatedText } from './emailValues.ts'
import { germanTemplates } from './germanTemplates.ts'
import { htmlEmail } from './htmlEmail.ts'
import type { EmailLogo, MailTransport } from './transport.ts'

/** The school that sends the e-mail. */
export interface Sender {
  id: string
  slug: string
  issuer: string
}

export interface MailArguments {
  transport: MailTransport
  /** The sender's address; by default it is derived from the school's host. */
  from?: string | undefined
  /** The name and the main language of the school, its legal documents, and its logo if mail programs can show it. */
  branding(school: Sender): Promise<{ name: string; locale: string; legal: EmailLegal; logo?: EmailLogo | undefined }>
  /** Languages of the school's e-mails. */
  languages(school: Sender): readonly Language[]
}

/** The recipient of an e-mail, with their known languages. */
export interface Recipient {
  /** Normalised by `deliverableEmail`. */
  email: string
  /** Most reliable first: the e-mail uses the first one that the school supports. */
  locales: readonly (string | null | undefined)[]
}

const catalogues: Record<Language, EmailTemplates> = { en: emailTemplates, de: germanTemplates }

/** Sends an e-mail to one recipient. */
export type SendEmail = <Kind extends EmailKind>(school: Sender, to: Recipient, kind: Kind, values: EmailValues<Kind>) => Promise<void>

/** Creates the function that sends e-mails. A template is filled with the school's name, links and the message's values only. */
export function createMail({ transport, from, branding, languages: languagesOf }: MailArguments): SendEmail {
  return async (school, { email, locales }, kind, given) => {
    const { name: title, locale, legal, logo } = await branding(school)
    const name = oneLine(title)
    const available = languagesOf(school)
    const language = lookUpLanguage([...locales, locale, ...available], available) ?? languages[0]
    const values: Record<string, unknown> = { ...given, school: name }
    const value = (key: string): FilledValue => {
      const filled = Object.hasOwn(values, key) ? filledValue(values[key], language) : undefined
      if (filled === undefined) throw new Error(`the e-mail ${kind} needs the value ${key}`)
      return filled
    }
    const template = catalogues[language][kind]
    const subject = fillLine(template.subject, value)
    const foot = emailFoot(legal, language)
    const parts = emailParts(template.text, { issuer: school.issuer, value })
    await transport.deliver({
      from: { name, address: from ?? defaultSender(school.issuer) },
      to: email,
      language,
      subject,
      text: plainEmail(parts, foot),
      html: htmlEmail({ language, school: name, subject, parts, foot, logo }),
      logo,
    })
  }
}

/** Returns a value in the language of the e-mail; undefined if it has none of the known forms. */
function filledValue(value: unknown, language: Language): FilledValue | undefined {
  if (typeof value === 'string') return oneLine(value)
  if (typeof value !== 'object' || value === null) return undefined
  if ('at' in value) {
    return emailFacts(value as EmailFacts, language).map(({ label, value: text }) => ({ label, value: oneLine(text) }))
  }
  const text = (value as Partial<TranslatedText>)[language]
  return text === undefined ? undefined : oneLine(text)
}

const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim()

function defaultSender(issuer: string): string {
  const { hostname } = new URL(issuer)
  return `no-reply@${/^[a-z0-9.-]*[a-z][a-z0-9.-]*$/.test(hostname) ? hostname : 'localhost'}`
}
