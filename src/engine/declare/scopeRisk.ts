import type { Reader } from './permissionSentences.ts'

/** The risks of a scope, in the order in which the consent page marks them. */
export const risks = ['takes_over', 'costs', 'deletes'] as const
export type Risk = (typeof risks)[number]

/** The roles for whom a scope has each risk. */
export type ScopeRisks = Readonly<Record<Risk, readonly Reader[]>>
