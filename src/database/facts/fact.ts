import { hash } from '../../base/keyring.ts'

/**
 * The kinds of rows that the check of a token depends on. `account` includes the person and the role; `school` is everything of a school;
 * `content` is what visitors can read of it.
 */
export type FactKind = 'client' | 'grant' | 'account' | 'school' | 'content'

export interface Fact {
  schoolId: string
  kind: FactKind
  /** The tag of a grant or client, the id of an account, empty for a school and its content. */
  key: string
}

export const grantFact = (schoolId: string, grantId: string): Fact => ({ schoolId, kind: 'grant', key: grantTag(schoolId, grantId) })
export const clientFact = (schoolId: string, clientId: string): Fact => ({ schoolId, kind: 'client', key: clientTag(schoolId, clientId) })
export const accountFact = (schoolId: string, accountId: string): Fact => ({ schoolId, kind: 'account', key: accountId })
export const schoolFact = (schoolId: string): Fact => ({ schoolId, kind: 'school', key: '' })
export const contentFact = (schoolId: string): Fact => ({ schoolId, kind: 'content', key: '' })

export const nameOfFact = ({ schoolId, kind, key }: Fact): string => `${schoolId} ${kind} ${key}`

/** The code of the messages with which the database reports a changed fact. */
const reportCode = 'SGF01'

const factOf: Record<FactKind, (schoolId: string, id: string) => Fact> = {
  client: clientFact,
  grant: grantFact,
  account: accountFact,
  school: schoolFact,
  content: contentFact,
}

/** Returns the fact that a message of the database reports as changed; undefined for every other message. */
export function reportedFact({ code, detail }: { code?: string | undefined; detail?: string | undefined }): Fact | undefined {
  if (code !== reportCode || detail === undefined) return undefined
  const [kind, schoolId, id]: [FactKind, string, string] = JSON.parse(detail)
  return factOf[kind](schoolId, id)
}

// Tags are short names of a grant or a client. Tokens contain them, so that a store can find markers in the round trip of the token.

export const grantTag = (schoolId: string, grantId: string): string => hash(`${schoolId} grant ${grantId}`).slice(0, 16)
export const clientTag = (schoolId: string, clientId: string): string => hash(`${schoolId} client ${clientId}`).slice(0, 12)

/**
 * The current version of one fact. Undefined: it cannot be known, because the fact is being changed, or because there are no markers. Then
 * the database is read and nothing is kept.
 */
export type FactVersion = string | undefined

export interface FactVersions {
  grant: FactVersion
  client: FactVersion
  account: FactVersion
  /** The client that asks about the token. */
  caller: FactVersion
}
