import { iCalendar } from '../text/iCalendar.ts'
import { isObject } from '../text/jsonValue.ts'
import { type Language, languages, lookUpLanguage } from '../text/languages.ts'
import { oneLine } from '../text/visibleText.ts'
import { emailFacts, occasionFacts } from './emailFacts.ts'
import { type EmailLegal, emailFoot } from './emailFoot.ts'
import type { EmailKind, EmailValues } from './emailKinds.ts'
import { emailParts, type FilledValue, fillLine, plainEmail } from './emailParts.ts'
import { emailTemplates } from './emailTemplates.ts'
import type { EmailFact, EmailFacts, EmailOccasion, TranslatedFacts, TranslatedText } from './emailValues.ts'
import { htmlEmail } from './htmlEmail.ts'
import type { EmailLogo, MailTransport } from './transport.ts'

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
  languages(school: Sender): readonly Language[]
  /** Returns true if German e-mails address people informally. */
  isInformal?(school: Sender): boolean
  /** Returns the address at which the recipient turns e-mails of this kind off; undefined if they cannot. */
  unsubscribeUrl?(school: Sender, to: Recipient, kind: EmailKind): string | undefined
}

export interface Recipient {
  /** Normalised by `deliverableEmail`. */
  email: string
  /** Most reliable first: the e-mail uses the first one that the school supports. */
  locales: readonly (string | null | undefined)[]
  /** The account whose preferences decide about e-mails that people can turn off. */
  accountId?: string | null
}

export type SendEmail = <Kind extends EmailKind>(school: Sender, to: Recipient, kind: Kind, values: EmailValues<Kind>) => Promise<void>

/** Creates the function that sends e-mails. A template is filled with the school's name, links and the message's values only. */
export function createMail({
  transport,
  from,
  branding,
  languages: languagesOf,
  isInformal = () => false,
  unsubscribeUrl,
}: MailArguments): SendEmail {
  return async (school, recipient, kind, given) => {
    const { email, locales } = recipient
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
    const template = emailTemplates[language === 'de' && isInformal(school) ? 'de.informal' : language][kind]
    const subject = fillLine(template.subject, value)
    const unsubscribe = unsubscribeUrl?.(school, recipient, kind)
    const foot = emailFoot({ ...legal, unsubscribe }, language)
    const parts = emailParts(template.text, { issuer: school.issuer, value })
    await transport.deliver({
      from: { name, address: from ?? defaultSender(school.issuer) },
      to: email,
      language,
      subject,
      text: plainEmail(parts, foot),
      html: htmlEmail({ language, school: name, subject, parts, foot, logo }),
      logo,
      unsubscribe,
      ...(template.text.includes('{occasion}') && calendarIn(values, school)),
    })
  }
}

const isOccasion = (value: unknown): value is EmailOccasion => isObject(value) && 'starts_at' in value

/** Returns the calendar of the event that the e-mail is about. */
function calendarIn({ occasion }: Record<string, unknown>, { issuer }: Sender): { calendar?: string } {
  const entry = isOccasion(occasion) ? occasion.calendar : undefined
  return entry ? { calendar: iCalendar(`-//${new URL(issuer).hostname}//Schoolgate//EN`, [entry]) } : {}
}

/** Returns a value in the language of the e-mail; undefined if it has none of the known forms. */
function filledValue(value: unknown, language: Language): FilledValue | undefined {
  if (typeof value === 'string') return oneLine(value)
  if (typeof value !== 'object' || value === null) return undefined
  if (isOccasion(value)) return inLines(occasionFacts(value, language))
  if ('at' in value) return inLines(emailFacts(value as EmailFacts, language))
  const text = (value as Partial<TranslatedText | TranslatedFacts>)[language]
  return typeof text === 'string' ? oneLine(text) : text && inLines(text)
}

const inLines = (facts: readonly EmailFact[]): EmailFact[] =>
  facts.map(({ label, value }) => ({ label: oneLine(label), value: oneLine(value) }))

function defaultSender(issuer: string): string {
  const { hostname } = new URL(issuer)
  return `no-reply@${/^[a-z0-9.-]*[a-z][a-z0-9.-]*$/.test(hostname) ? hostname : 'localhost'}`
}
