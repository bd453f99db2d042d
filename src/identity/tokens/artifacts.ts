/**
 * Where the artefacts of the OpenID engine live: tokens, codes, sessions, interactions. Two forms keep this one contract:
 * the database (`databaseArtifacts.ts`) and Redis (`redisArtifacts.ts`). Neither knows what a payload means.
 *
 * The caller hashes the ids, so a copy of the store gives no access.
 */
export interface Artifacts {
  /** Sends the requests that `work` makes before it waits for anything in one round trip, if the store can. */
  together<Result>(work: () => Result): Result
  /**
   * The artefact if it has not expired and its grant and client are alive, consumed or not.
   * A grant or client that has been ended hides its artefacts from that moment on.
   */
  find(key: ArtifactKey): Promise<FoundArtifact | undefined>
  /** By the second key (`uid`), newest first; only sessions have one. */
  findByUid(schoolId: string, model: string, uid: string): Promise<FoundArtifact | undefined>
  /** Writes or replaces. A consumed artefact stays consumed. */
  save(artifact: Artifact): Promise<void>
  /** Writes only if there is no unexpired value: returns false otherwise. Makes replay detection atomic. */
  saveOnce(artifact: Artifact): Promise<boolean>
  /**
   * Compare-and-set: true for one caller at most, ever. A consumed artefact stays findable until it expires. A failure of the store leaves
   * open whether it was consumed.
   */
  consume(key: ArtifactKey): Promise<boolean>
  destroy(key: ArtifactKey): Promise<void>
  /** From this call on, `find` hides everything that names the grant, also what is saved afterwards. */
  endGrant(ended: EndedGrant): Promise<void>
  endClient(ended: EndedClient): Promise<void>
  /** Lets an enabled client start again after it was disabled: earlier values stay hidden. */
  restoreClient(restored: EndedClient): Promise<void>
  /** Everything of one model that belongs to an account and to no grant, unexpired, newest first, at most 100. */
  findOfAccount(schoolId: string, model: string, accountId: string): Promise<OwnedArtifact[]>
  /** Ids of the sessions of an account are removed: "sign out everywhere". */
  destroyOfAccount(schoolId: string, model: string, accountId: string): Promise<void>
}

export interface OwnedArtifact {
  id: string
  payload: string
  expiresAt: Date
}

export interface ArtifactKey {
  schoolId: string
  model: string
  /** Hash of the value that the holder presents. */
  id: string
  /**
   * Tags that the token's own text carries, so that a store can look for end markers in the same trip. Ignored by the database; Redis
   * refuses to save what names a grant or client without its tag, since that could not be revoked.
   */
  grantTag?: string
  clientTag?: string
}

export interface Artifact extends ArtifactKey {
  payload: string
  expiresInSeconds: number
  grantId?: string
  clientId?: string
  accountId?: string
  uid?: string
  /** The client and the account that decide about an artefact that names neither: Redis finds their versions with it. */
  decidedBy?: { clientId: string; accountId?: string | undefined } | undefined
}

export interface FoundArtifact {
  /** Empty for a code or refresh token that was used: reuse is noticed by what follows. */
  payload: string
  grantId: string | null
  clientId: string | null
  accountId: string | null
  consumedAt: Date | null
  /**
   * The sealed response to the use of a code or refresh token while its window lasts, or the id of the artefact in Redis that has it. Null in
   * Redis: the database knows what was used.
   */
  successor: string | null
  /** Seconds since the use of a code or refresh token whose response is in Redis. */
  answeredSecondsAgo: number | null
}

export interface EndedGrant {
  schoolId: string
  grantId: string
  grantTag: string
}

export interface EndedClient {
  schoolId: string
  clientId: string
  clientTag: string
}
