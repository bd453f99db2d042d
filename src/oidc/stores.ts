import { setTimeout } from 'node:timers/promises'
import { errors } from 'oidc-provider'
import type { Log } from '../lib/log.ts'
import { isLostConnection } from '../lib/outage.ts'
import type { Artifacts } from '../store/artifacts.ts'
import type { Reader } from '../store/database.ts'
import type { DatabaseArtifacts } from '../store/databaseArtifacts.ts'
import { clientTag, grantTag } from './tokenTags.ts'

/** The stores of the engine's state. Without Redis both members are the same object. */
export interface Stores {
  /** The database, or one transaction of it. */
  database: Reader
  /** Refresh tokens, and everything else if there is no Redis. */
  durable: DatabaseArtifacts
  /** Sessions, interactions, codes, access tokens. */
  ephemeral: Artifacts
  log: Log
}

export const isSplit = (stores: Stores): boolean => stores.ephemeral !== stores.durable

/**
 * Revokes a grant: none of its tokens and codes is accepted any more. The database decides: every check of a token also checks the grant
 * there. The marker in Redis is set second and only saves that check for revoked tokens, so a Redis that is full or unavailable does not
 * prevent a revocation, and a lost marker does not undo one.
 * @throws errors.TemporarilyUnavailable when the database does not respond: nothing was changed, and the request can be repeated
 */
export async function endGrant(stores: Stores, schoolId: string, grantId: string): Promise<void> {
  const ended = { schoolId, grantId, grantTag: grantTag(schoolId, grantId) }
  await orUnavailable(
    stores,
    againOnNewConnection(() => stores.durable.endGrant(ended)),
  )
  if (!isSplit(stores)) return
  await stores.ephemeral.endGrant(ended).catch((error: unknown) => {
    stores.log.warn({ err: error }, 'revocation marker not written to Redis, the database decides')
  })
}

/** Revokes a client and all its tokens. The marker must be written, too: it keeps the tokens invalid when the client is enabled again. */
export async function endClient(stores: Stores, schoolId: string, clientId: string): Promise<void> {
  const ended = { schoolId, clientId, clientTag: clientTag(schoolId, clientId) }
  if (isSplit(stores)) await orUnavailable(stores, stores.ephemeral.endClient(ended))
  await orUnavailable(
    stores,
    againOnNewConnection(() => stores.durable.endClient(ended)),
  )
}

/** Time for the pool to detect a closed connection. */
const pauseMs = 100

/** Repeats idempotent work once if its connection was lost. */
const againOnNewConnection = (work: () => Promise<void>): Promise<void> =>
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
