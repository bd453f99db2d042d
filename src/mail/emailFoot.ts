import type { Language } from '../lib/languages.ts'

/** URLs of the legal documents of a school, in the order in which e-mails list them. */
export interface EmailLegal {
  imprint?: string | undefined
  privacy?: string | undefined
  terms?: string | undefined
}

/** A line below an e-mail. */
export interface FootLine {
  label: string
  url: string
}

const labels: Record<Language, Record<keyof EmailLegal, string>> = {
  en: { imprint: 'Legal notice', privacy: 'Privacy policy', terms: 'Terms of use' },
  de: { imprint: 'Impressum', privacy: 'Datenschutzerklärung', terms: 'Nutzungsbedingungen' },
}

/** Returns the lines below an e-mail: the legal documents that the school has. */
export const emailFoot = ({ imprint, privacy, terms }: EmailLegal, language: Language): FootLine[] =>
  Object.entries({ imprint, privacy, terms }).flatMap(([kind, url]) =>
    url === undefined ? [] : [{ label: labels[language][kind as keyof EmailLegal], url }],
  )
