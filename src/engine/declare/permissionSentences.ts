import type { Audience, Role } from '../../base/caller.ts'

/** The people who read a sentence on the consent page. What a scope permits depends on the role of the person who grants it. */
export const readers = ['learner', 'lecturer', 'staff'] as const satisfies readonly Audience[]
export type Reader = (typeof readers)[number]

export const readerOf = (role: Role): Reader => (role === 'owner' || role === 'admin' ? 'staff' : role)

/** A sentence for each role. A role without a sentence reads that of the role before it. */
export type SentencesByRole = Readonly<Partial<Record<Reader, string>>>

/** Returns the sentence for this reader; undefined if the role cannot use the scope. */
export function sentenceFor(sentences: SentencesByRole, reader: Reader): string | undefined {
  const lower = readers.slice(0, readers.indexOf(reader) + 1)
  return lower.reduce<string | undefined>((sentence, one) => sentences[one] ?? sentence, undefined)
}

/** Returns the sentence for this reader; for a role that cannot use the scope, that of the lowest role that can. */
export function nearestSentence(sentences: SentencesByRole, reader: Reader): string | undefined {
  return sentenceFor(sentences, reader) ?? readers.map((one) => sentences[one]).find((sentence) => sentence !== undefined)
}

/** The risks of a scope, in the order in which the consent page marks them. */
export const risks = ['takes_over', 'costs', 'deletes'] as const
export type Risk = (typeof risks)[number]

/** The roles for whom a scope has each risk. */
export type ScopeRisks = Readonly<Record<Risk, readonly Reader[]>>
