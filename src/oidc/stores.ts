import { setTimeout } from 'node:timers/promises'
import { errors } from 'oidc-provider'
import type { Log } from '../lib/log.ts'
import type { Artifacts } from '../store/artifacts.ts'
import type { DatabaseArtifacts } from '../store/databaseArtifacts.ts'
import type { Sql } from '../store/sql.ts'
import { clientTag, grantTag } from './tokenTags.ts'

/** Where the engine's state lives. Without Redis both forms are the same object. */
export interface Stores {
  sql: Sql
  /** Refresh tokens, and everything else where there is no Redis. */
  durable: DatabaseArtifacts
  /** Sessions, interactions, codes, access tokens. */
  ephemeral: Artifacts
  log: Log
}

export const isSplit = (stores: Stores): boolean => stores.ephemeral !== stores.durable

/**
 * Ends a grant: every token and code of it opens nothing from now on.
 * The marker in Redis comes first. If it cannot be written nothing else is touched, and the caller may try again.
 * @throws errors.TemporarilyUnavailable where a store does not answer
 */
export async function endGrant(stores: Stores, schoolId: string, grantId: string): Promise<void> {
  const ended = { schoolId, grantId, grantTag: grantTag(schoolId, grantId) }
  if (isSplit(stores)) await orUnavailable(stores, stores.ephemeral.endGrant(ended))
  await orUnavailable(
    stores,
    twice(() => stores.durable.endGrant(ended)),
  )
}

/** Ends a client and with it all its tokens, in the same order. */
export async function endClient(stores: Stores, schoolId: string, clientId: string): Promise<void> {
  const ended = { schoolId, clientId, clientTag: clientTag(schoolId, clientId) }
  if (isSplit(stores)) await orUnavailable(stores, stores.ephemeral.endClient(ended))
  await orUnavailable(
    stores,
    twice(() => stores.durable.endClient(ended)),
  )
}

/** Time for the pool to notice that a connection is gone. */
const pauseMs = 100

/** The marker stands by now: one connection that is lost must not leave the half that it hides. */
const twice = (work: () => Promise<void>): Promise<void> => work().catch(() => setTimeout(pauseMs).then(work))

/** A store that fails is our trouble, not the client's: 503, and the same request may succeed a moment later. */
export async function orUnavailable<Value>(stores: Pick<Stores, 'log'>, answer: Promise<Value>): Promise<Value> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof errors.OIDCProviderError) throw error
    stores.log.error({ err: error }, 'a store did not answer')
    throw unavailable()
  }
}

/** The engine would answer it with 400. */
function unavailable(): Error {
  const error = new errors.TemporarilyUnavailable('a store did not answer; nothing was changed, try again shortly')
  return Object.assign(error, { status: 503, statusCode: 503 })
}
