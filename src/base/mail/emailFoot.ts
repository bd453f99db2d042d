import type { Language } from '../text/languages.ts'

export interface EmailLegal {
  imprint?: string | undefined
  privacy?: string | undefined
  terms?: string | undefined
}

/** The addresses below the text. */
interface EmailFootLinks extends EmailLegal {
  /** Where the recipient turns these e-mails off. */
  unsubscribe?: string | undefined
}

export interface FootLine {
  label: string
  url: string
}

const labels: Record<Language, Record<keyof EmailFootLinks, string>> = {
  en: { unsubscribe: 'Stop these e-mails', imprint: 'Legal notice', privacy: 'Privacy policy', terms: 'Terms of use' },
  de: {
    unsubscribe: 'Diese E-Mails abbestellen',
    imprint: 'Impressum',
    privacy: 'Datenschutzerklärung',
    terms: 'Nutzungsbedingungen',
  },
}

const kinds = ['unsubscribe', 'imprint', 'privacy', 'terms'] as const satisfies (keyof EmailFootLinks)[]

export const emailFoot = (links: EmailFootLinks, language: Language): FootLine[] =>
  kinds.flatMap((kind) => {
    const url = links[kind]
    return url === undefined ? [] : [{ label: labels[language][kind], url }]
  })
