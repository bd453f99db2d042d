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
