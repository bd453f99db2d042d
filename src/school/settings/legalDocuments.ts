export const legalKinds = ['imprint', 'privacy', 'terms'] as const

export type LegalKind = (typeof legalKinds)[number]

/** Where a legal document of a school is: at an address that the school set, or on one of its published pages. */
export type LegalDocument = { url: string } | { slug: string }

export type LegalDocuments = Readonly<Partial<Record<LegalKind, LegalDocument>>>

export type LegalAddresses = Readonly<Partial<Record<LegalKind, string>>>
