import { hash, isSame } from '../../base/keyring.ts'
import { isObject } from '../../base/text/jsonValue.ts'

/** The earlier secret of a client after a rotation, as it is stored in the client's metadata. */
export interface PreviousSecret {
  hash: string
  /** ISO 8601 time from which the secret is no longer accepted. */
  until: string
}

/** Returns the stored form of a client secret. It has 256 bits of randomness, so a plain hash is enough. */
export const hashSecret = (secret: string): string => `sha256:${hash(secret)}`

/** Returns the previous secret of a client if it is still accepted. */
export function previousSecretOf(metadata: Record<string, unknown>, now = new Date()): PreviousSecret | undefined {
  const previous = metadata.previous_client_secret
  if (!isObject(previous) || typeof previous.hash !== 'string' || typeof previous.until !== 'string') return undefined
  return new Date(previous.until) > now ? { hash: previous.hash, until: previous.until } : undefined
}

/**
 * Returns the metadata of a client for the engine, which has one text for the secret: the hashes of all accepted secrets, separated by
 * spaces. The previous secret is accepted until its time.
 */
export function withAcceptedSecrets(stored: Record<string, unknown>): Record<string, unknown> {
  const { previous_client_secret: _, ...metadata } = stored
  const previous = previousSecretOf(stored)
  if (!previous || metadata.client_secret === undefined) return metadata
  return { ...metadata, client_secret: `${metadata.client_secret} ${previous.hash}` }
}

/** True if the presented secret has one of the hashes. Compares with all of them, each in constant time. */
export function isAcceptedSecret(presented: string, hashes: string): boolean {
  const own = hashSecret(presented)
  return hashes.split(' ').filter((accepted) => isSame(own, accepted)).length > 0
}
