import { createHash, randomBytes } from 'node:crypto'

/** Returns a code verifier, and its challenge by S256 (RFC 7636). */
export function pkce(): [verifier: string, challenge: string] {
  const verifier = randomBytes(32).toString('base64url')
  return [verifier, createHash('sha256').update(verifier).digest('base64url')]
}
