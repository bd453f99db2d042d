import type { Reader, ScopeRisks, SentencesByRole } from '../engine/declare/permissionSentences.ts'

export interface ConsentScope {
  name: string
  area: string
  areaTitle: string
  verb: 'read' | 'write' | 'identity'
  sentences: SentencesByRole
  /** The roles to whom the scope shows personal data of other people. */
  othersData: readonly Reader[]
  /** The roles for whom it has each risk; undefined if it has none. */
  risks?: ScopeRisks
}
