import { type Language, languages, lookUpLanguage } from '../lib/languages.ts'
import { type EmailKind, type EmailTemplates, emailTemplates } from './emailTemplates.ts'
import { germanTemplates } from './germanTemplates.ts'
import type { MailTransport } from './transport.ts'

/** The school that a message comes from. */
export interface Sender {
  id: string
  slug: string
  issuer: string
}

export interface MailArguments {
  transport: MailTransport
  /** The address that messages come from; where there is none it is made from the school's own host. */
  from?: string | undefined
  face(school: Sender): Promise<{ name: string; locale: string }>
  /** Languages that the school writes in. */
  languages(school: Sender): readonly Language[]
}

/** Whom a letter goes to, and what is known of the language that they read, the surest first. */
export interface Recipient {
  email: string
  locales: readonly (string | null | undefined)[]
}

const catalogues: Record<Language, EmailTemplates> = { en: emailTemplates, de: germanTemplates }

/** Writes a letter to one address. */
export type SendEmail = (school: Sender, to: Recipient, kind: EmailKind, links: Record<string, string>) => Promise<void>

/** The school's mail: the words of a message with the school's name and the links, and nothing else that anybody chose. */
export function createMail({ transport, from, face, languages: languagesOf }: MailArguments): SendEmail {
  return async (school, { email, locales }, kind, links) => {
    const { name: title, locale } = await face(school)
    const name = oneLine(title)
    const available = languagesOf(school)
    const language = lookUpLanguage([...locales, locale, ...available], available) ?? languages[0]
    const values: Record<string, string> = {
      ...Object.fromEntries(Object.entries(links).map(([key, value]) => [key, oneLine(value)])),
      school: name,
    }
    const fill = (text: string): string =>
      text.replace(/\{([a-z_]+)\}/g, (_all, key: string) => {
        const value = Object.hasOwn(values, key) ? values[key] : undefined
        if (value === undefined) throw new Error(`the message ${kind} needs ${key}`)
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
