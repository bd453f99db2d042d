import type { Reader, SentencesByRole } from '../policy/permissionSentences.ts'

export interface ConsentScope {
  name: string
  area: string
  areaTitle: string
  verb: 'read' | 'write' | 'identity'
  sentences: SentencesByRole
  /** The roles to whom the scope shows personal data of other people. */
  othersData: readonly Reader[]
}
