import { AsyncLocalStorage } from 'node:async_hooks'
import type { School } from '../../base/school.ts'
import type { AuditEntry } from '../../database/tables/audit.ts'
import type { Artifact, ArtifactKey, FoundArtifact } from '../tokens/artifacts.ts'
import { newRequestFacts, type RequestFacts } from './requestFacts.ts'
import { endGrant, type GrantEnding, type Stores } from './stores.ts'

/**
 * The work of the engine for one request to the authorization server. The engine writes step by step: it consumes a refresh token, then saves
 * its successors. If the process dies in between, the client is left with a used token and no new one. So everything that the engine consumes
 * and saves is held back here and committed in one statement together with the response, after the engine has built the response and before
 * it is sent.
 */
export interface Exchange {
  facts: RequestFacts
  saved: Artifact[]
  registered?: { id: string; metadata: object }
  redeemed?: Redeemed
  /** The grants of the codes and refresh tokens that this request presented. */
  grantIds: Map<string, string>
  /** Grants that this request has revoked. */
  ended: Map<string, Promise<void>>
  /** Returns what the request has prepared for the revocation of a grant. */
  endingOf?: (grantId: string) => GrantEnding
  /** The reason of the engine's error, for the operator. */
  refusalDetail?: string | undefined
  /** Written in the statement that stores the grant of this request. */
  auditOfGrant?: AuditEntry
  /** True if this request has stored a grant, which is the only live one of its account to its client. */
  isFirstGrant?: boolean
  /** True if the request issues no code: its client and account may be read from memory. */
  readsKept?: boolean
  /** True if the engine did not find the interaction, or another request has ended it. */
  isInteractionOver?: boolean
  /** True if the end of an interaction was stored together with the session. */
  isEndStored?: boolean
}

/** The code or refresh token that the engine redeems. */
export interface Redeemed {
  key: ArtifactKey
  value: string
  grantId: string | undefined
  /** The stored code or refresh token if it was used before: for the engine it does not exist. */
  used?: FoundArtifact
}

/** A code or token as the form contains it. */
export interface Presented {
  model: 'AccessToken' | 'AuthorizationCode' | 'RefreshToken'
  value: string
}

export type Exchanges = AsyncLocalStorage<Exchange>

export const createExchanges = (): Exchanges => new AsyncLocalStorage<Exchange>()

export const newExchange = (): Exchange => ({ facts: newRequestFacts(), saved: [], grantIds: new Map(), ended: new Map() })

/** Runs work in the exchange of the request, so that each row is read once. */
export const inExchange = <Result>(exchanges: Exchanges, work: () => Result): Result =>
  exchanges.getStore() ? work() : exchanges.run(newExchange(), work)

/** Returns a function that loads something about the school of a request once for each request. */
export function oncePerRequest<Value>(
  exchanges: Exchanges,
  load: (school: Pick<School, 'id'>) => Promise<Value>,
): (school: Pick<School, 'id'>) => Promise<Value> {
  const loaded = new WeakMap<Exchange, Promise<Value>>()
  return (school) => {
    const exchange = exchanges.getStore()
    if (!exchange) return load(school)
    const known = loaded.get(exchange)
    if (known !== undefined) return known
    const loading = load(school)
    loaded.set(exchange, loading)
    return loading
  }
}

/** The engine revokes a grant model by model; once is enough. */
export function endGrantOnce(exchange: Exchange | undefined, stores: Stores, schoolId: string, grantId: string): Promise<void> {
  const already = exchange?.ended.get(grantId)
  if (already !== undefined) return already
  const ending = endGrant(stores, { schoolId, grantId }, exchange?.endingOf?.(grantId))
  exchange?.ended.set(grantId, ending)
  return ending
}
