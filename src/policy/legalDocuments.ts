/** The legal documents to which pages and e-mails link, in their order. */
export const legalKinds = ['imprint', 'privacy', 'terms'] as const

export type LegalKind = (typeof legalKinds)[number]

/** Where a legal document of a school is: at an address that the school set, or on one of its published pages. */
export type LegalDocument = { url: string } | { slug: string }

/** The legal documents that a school has. */
export type LegalDocuments = Readonly<Partial<Record<LegalKind, LegalDocument>>>

/** The addresses of the legal documents that a school has. */
export type LegalAddresses = Readonly<Partial<Record<LegalKind, string>>>
