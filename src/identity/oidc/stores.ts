import { setTimeout } from 'node:timers/promises'
import { errors } from 'oidc-provider'
import type { Log } from '../../base/log/log.ts'
import { isLostConnection } from '../../base/process/outage.ts'
import type { Reader } from '../../database/connection/database.ts'
import { clientFact, clientTag, type Fact, grantFact, grantTag, schoolFact } from '../../database/facts/fact.ts'
import { type FactChange, maxFacts, type NamedFacts } from '../../database/facts/factGuard.ts'
import type { AuditEntry } from '../../database/tables/audit.ts'
import { listGrantKeys } from '../../database/tables/grants.ts'
import type { Artifacts, EndedGrant } from '../tokens/artifacts.ts'
import type { DatabaseArtifacts } from '../tokens/databaseArtifacts.ts'
import type { RedisArtifacts } from '../tokens/redisArtifacts.ts'
import type { TokenRevocation } from '../tokens/revokeTokens.ts'

/** The stores of the engine's state. Without Redis both members are the same object. */
export interface Stores {
  database: Reader
  /** Refresh tokens, and everything else if there is no Redis. */
  durable: DatabaseArtifacts
  /** Sessions, interactions, codes, access tokens. */
  ephemeral: Artifacts
  versioned?: RedisArtifacts | undefined
  /** Marks the facts that statements outside a transaction change. */
  facts: NamedFacts
  log: Log
}

export const isSplit = (stores: Stores): boolean => stores.ephemeral !== stores.durable

export interface GrantEnding {
  /** Written in the statement that revokes the grant. */
  audit?: readonly AuditEntry[]
  /** The change of the grant's fact, if it has been marked already. */
  begun?: Promise<FactChange> | undefined
}

/**
 * Revokes a grant: none of its tokens and codes is accepted any more. The database decides: every check of a token also checks the grant
 * there. The marker in Redis is set second and only saves that check for revoked tokens, so a Redis that is full or unavailable does not
 * prevent a revocation, and a lost marker does not undo one.
 * @throws errors.TemporarilyUnavailable when the database does not respond: nothing was changed, and the request can be repeated
 */
export async function endGrant(
  stores: Stores,
  { schoolId, grantId }: { schoolId: string; grantId: string },
  { audit = [], begun }: GrantEnding = {},
): Promise<void> {
  const ended = { schoolId, grantId, grantTag: grantTag(schoolId, grantId) }
  const change = await orUnavailable(
    stores,
    againOnNewConnection(async () => {
      const change = await (begun ?? stores.facts.begin([grantFact(schoolId, grantId)]))
      await change.run(() => stores.durable.endGrant(ended, audit))
      return change
    }),
  )
  await markEnded(stores, ended, change)
}

/**
 * Revokes the grant of a refresh token in the statement that looks the token up. Returns the grant; undefined, and nothing was changed, unless
 * the token, its client and its grant are live.
 * @throws errors.TemporarilyUnavailable when the database does not respond: the request can be repeated
 */
export async function revokeToken(stores: Stores, revocation: TokenRevocation, begun: Promise<FactChange>): Promise<string | undefined> {
  const { schoolId, grantTag } = revocation
  const change = await orUnavailable(stores, begun)
  const grantId = await orUnavailable(
    stores,
    againOnNewConnection(() => stores.durable.revoke(revocation)),
  )
  if (grantId !== undefined) await markEnded(stores, { schoolId, grantId, grantTag }, change)
  return grantId
}

async function markEnded(stores: Stores, ended: EndedGrant, change: FactChange): Promise<void> {
  if (!isSplit(stores)) return await change.end()
  const marking = stores.ephemeral.together(() => [change.end(), stores.ephemeral.endGrant(ended)])
  await Promise.all(marking).catch((error: unknown) => {
    stores.log.warn({ err: error }, 'revocation marker not written to Redis, the database decides')
  })
}

/** Revokes a client with its grants and tokens. The marker must be written, too: it keeps the tokens invalid when the client is enabled again. */
export async function endClient(stores: Stores, schoolId: string, clientId: string): Promise<void> {
  const ended = { schoolId, clientId, clientTag: clientTag(schoolId, clientId) }
  if (isSplit(stores)) await orUnavailable(stores, stores.ephemeral.endClient(ended))
  await orUnavailable(
    stores,
    againOnNewConnection(async () =>
      stores.facts.changing(await factsOfClient(stores, schoolId, clientId), () => stores.durable.endClient(ended)),
    ),
  )
}

/** Returns the facts that change when a client ends: its own and those of its live grants. */
export async function factsOfClient({ database }: Pick<Stores, 'database'>, schoolId: string, clientId: string): Promise<Fact[]> {
  const grants = await listGrantKeys(database, schoolId, { clientId, limit: maxFacts + 1 })
  const ended = grants.length > maxFacts ? [schoolFact(schoolId)] : grants.map(({ id }) => grantFact(schoolId, id))
  return [clientFact(schoolId, clientId), ...ended]
}

/** Time for the pool to detect a closed connection. */
const pauseMs = 100

/** Repeats idempotent work once if its connection was lost. */
const againOnNewConnection = <Result>(work: () => Promise<Result>): Promise<Result> =>
  work().catch((error: unknown) => {
    if (!isLostConnection(error)) throw error
    return setTimeout(pauseMs).then(work)
  })

/** A failure of a store is not the client's error: 503, and the same request may succeed a moment later. */
export async function orUnavailable<Value>(stores: Pick<Stores, 'log'>, answer: Promise<Value>): Promise<Value> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof errors.OIDCProviderError) throw error
    stores.log.error({ err: error }, 'a store did not answer')
    throw unavailable()
  }
}

/** The engine would respond with 400. */
function unavailable(): Error {
  const error = new errors.TemporarilyUnavailable('a store did not answer; nothing was changed, try again shortly')
  return Object.assign(error, { status: 503, statusCode: 503 })
}
