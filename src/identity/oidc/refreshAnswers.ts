import { randomBytes } from 'node:crypto'
import { keyFromToken, openWith, sealWith } from '../../base/keyring.ts'
import type { Artifact, ArtifactKey, FoundArtifact } from '../tokens/artifacts.ts'
import type { Redemption } from '../tokens/redeemArtifacts.ts'
import type { RefreshEffect, RefreshPayload } from './refreshEffect.ts'
import { isSplit, orUnavailable, type Stores } from './stores.ts'

/** The response to a refresh, as it is stored for the refresh window. */
export interface RefreshAnswer {
  /** The members of the used token that decide about the effect of a repetition. */
  granted: RefreshPayload
  effect: RefreshEffect
  answer: Record<string, unknown>
}

const purpose = 'refresh window'
const model = 'RefreshAnswer'
/** The window ends by the clock of the database. Until then, a response that Redis does not have is lost. */
const marginSeconds = 5

export interface KeptAnswer {
  consume: NonNullable<Redemption['consume']>
  /** The response itself, to be saved in Redis before the token is consumed. */
  artifact?: Artifact
}

/**
 * Prepares a response for repetitions of its request, encrypted with a key that only the holder of the used token has. If there is Redis, it
 * stores the response and the used token names it: concurrent requests may each store one, and the one that consumes the token decides.
 * Otherwise, and while processes of the release before may serve, the used token stores it.
 */
export function keepAnswer(
  stores: Stores,
  { key, value }: { key: ArtifactKey; value: string },
  { kept, windowSeconds }: { kept: RefreshAnswer; windowSeconds: number },
): KeptAnswer {
  if (windowSeconds === 0) return { consume: key }
  const sealed = sealWith(keyFromToken(value, purpose), JSON.stringify(kept))
  if (!isSplit(stores) || stores.isUpgrading?.()) return { consume: { ...key, successor: sealed, successorSeconds: windowSeconds } }
  const id = randomBytes(12).toString('base64url')
  return {
    consume: { ...key, successor: id },
    artifact: { schoolId: key.schoolId, model, id, payload: sealed, expiresInSeconds: windowSeconds + marginSeconds },
  }
}

/**
 * Returns the response to the first use of a token. `lost`: the window is open, but Redis no longer has the response. Undefined: there is no
 * response, or its window has ended.
 */
export async function findAnswer(
  stores: Stores,
  { schoolId, found, value }: { schoolId: string; found: FoundArtifact; value: string },
  windowSeconds: number,
): Promise<RefreshAnswer | 'lost' | undefined> {
  const { successor, answeredSecondsAgo } = found
  if (successor === null) return undefined
  if (answeredSecondsAgo === null) return open(successor, value)
  if (answeredSecondsAgo >= windowSeconds) return undefined
  const kept = await orUnavailable(stores, stores.ephemeral.find({ schoolId, model, id: successor }))
  return kept === undefined ? 'lost' : open(kept.payload, value)
}

function open(sealed: string, value: string): RefreshAnswer | undefined {
  const text = openWith(keyFromToken(value, purpose), sealed)
  return text === undefined ? undefined : JSON.parse(text)
}
