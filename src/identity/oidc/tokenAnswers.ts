import { randomBytes } from 'node:crypto'
import { keyFromToken, openWith, sealWith } from '../../base/keyring.ts'
import type { Artifact, ArtifactKey, FoundArtifact } from '../tokens/artifacts.ts'
import type { Redemption } from '../tokens/redeemArtifacts.ts'
import { isSplit, orUnavailable, type Stores } from './stores.ts'
import type { Granted, TokenEffect } from './tokenEffect.ts'

/** The response to a token request, as it is stored for the refresh window. */
export interface TokenAnswer {
  /** The members of the used code or token that decide about the effect of a repetition. */
  granted: Granted
  effect: TokenEffect
  answer: Record<string, unknown>
}

const purpose = 'refresh window'
const model = 'RefreshAnswer'
/** The window ends by the clock of the database. Until then, a response that Redis does not have is lost. */
const marginSeconds = 5

export interface KeptAnswer {
  consume: NonNullable<Redemption['consume']>
  /** The response itself, to be saved in Redis before the code or token is consumed. */
  artifact?: Artifact
}

/**
 * Prepares a response for repetitions of its request, encrypted with a key from `secret`: what only the client that sent the request has. If
 * there is Redis, it stores the response and the used code or token names it: concurrent requests may each store one, and the one that
 * consumes decides. Otherwise the row of the used code or token stores it.
 */
export function keepAnswer(
  stores: Stores,
  { key, secret }: { key: ArtifactKey; secret: string },
  { kept, windowSeconds }: { kept: TokenAnswer; windowSeconds: number },
): KeptAnswer {
  if (windowSeconds === 0) return { consume: key }
  const sealed = sealWith(keyFromToken(secret, purpose), JSON.stringify(kept))
  if (!isSplit(stores)) return { consume: { ...key, successor: sealed, successorSeconds: windowSeconds } }
  const id = randomBytes(12).toString('base64url')
  return {
    consume: { ...key, successor: id },
    artifact: { schoolId: key.schoolId, model, id, payload: sealed, expiresInSeconds: windowSeconds + marginSeconds },
  }
}

/**
 * Returns the response to the first use of a code or token. `lost`: the window is open, but Redis no longer has the response. Undefined: there
 * is no response, its window has ended, or it was to a request with another secret.
 */
export async function findAnswer(
  stores: Stores,
  { schoolId, found, secret }: { schoolId: string; found: FoundArtifact; secret: string },
  windowSeconds: number,
): Promise<TokenAnswer | 'lost' | undefined> {
  const { successor, answeredSecondsAgo } = found
  if (successor === null) return undefined
  if (answeredSecondsAgo === null) return open(successor, secret)
  if (answeredSecondsAgo >= windowSeconds) return undefined
  const kept = await orUnavailable(stores, stores.ephemeral.find({ schoolId, model, id: successor }))
  return kept === undefined ? 'lost' : open(kept.payload, secret)
}

function open(sealed: string, secret: string): TokenAnswer | undefined {
  const text = openWith(keyFromToken(secret, purpose), sealed)
  return text === undefined ? undefined : JSON.parse(text)
}
