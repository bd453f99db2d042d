import { isIP } from 'node:net'
import type { School } from '../../base/school.ts'

export interface RelyingParty {
  /** The host of the issuer, to which browsers bind passkeys. */
  id: string
  origin: string
}

/**
 * Returns the school as a relying party, or undefined if browsers do not offer passkeys at its address: an IP address, or plain http to
 * another host than localhost (Web Authentication Level 3 section 5.1.3).
 */
export function relyingParty({ issuer }: School): RelyingParty | undefined {
  const { protocol, hostname, origin } = new URL(issuer)
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost')
  if (isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0 || (protocol !== 'https:' && !isLocal)) return undefined
  return { id: hostname, origin }
}
