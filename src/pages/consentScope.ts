import type { Reader, SentencesByRole } from '../policy/permissionSentences.ts'

/** A scope as the consent page shows it. */
export interface ConsentScope {
  name: string
  area: string
  areaTitle: string
  verb: 'read' | 'write' | 'identity'
  /** The sentences about the scope, by the role of the person. */
  sentences: SentencesByRole
  /** The roles to whom the scope shows personal data of other people. */
  othersData: readonly Reader[]
}
