import { type Language, languages, lookUpLanguage } from '../lib/languages.ts'
import { type EmailKind, type EmailTemplates, type EmailValues, emailTemplates } from './emailTemplates.ts'
import { germanTemplates } from './germanTemplates.ts'
import type { MailTransport } from './transport.ts'

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
  branding(school: Sender): Promise<{ name: string; locale: string }>
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
    const { name: title, locale } = await branding(school)
    const name = oneLine(title)
    const available = languagesOf(school)
    const language = lookUpLanguage([...locales, locale, ...available], available) ?? languages[0]
    const values: Record<string, string> = {
      ...Object.fromEntries(Object.entries<string>(given).map(([key, value]) => [key, oneLine(value)])),
      school: name,
    }
    const fill = (text: string): string =>
      text.replace(/\{([a-z_]+)\}/g, (_all, key: string) => {
        const value = Object.hasOwn(values, key) ? values[key] : undefined
        if (value === undefined) throw new Error(`the e-mail ${kind} needs the value ${key}`)
        return value
      })
    const { subject, text } = catalogues[language][kind]
    await transport.deliver({
      from: { name, address: from ?? defaultSender(school.issuer) },
      to: email,
      language,
      subject: fill(subject),
      text: `${fill(text)}\n`,
    })
  }
}

const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim()

function defaultSender(issuer: string): string {
  const { hostname } = new URL(issuer)
  return `no-reply@${/^[a-z0-9.-]*[a-z][a-z0-9.-]*$/.test(hostname) ? hostname : 'localhost'}`
}
