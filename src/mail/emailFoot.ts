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

const kinds = ['imprint', 'privacy', 'terms'] as const satisfies (keyof EmailLegal)[]

/** Returns the lines below an e-mail: the legal documents that the school has. */
export const emailFoot = (legal: EmailLegal, language: Language): FootLine[] =>
  kinds.flatMap((kind) => {
    const url = legal[kind]
    return url === undefined ? [] : [{ label: labels[language][kind], url }]
  })
