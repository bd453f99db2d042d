import type { IncomingHttpHeaders } from 'node:http'

const [shortest, usual, longest] = [60, 300, 86_400] as const

/**
 * Returns how long a client ID metadata document may be used without asking its host again, by `Cache-Control` and `Age` (RFC 9111), within
 * limits that keep both a change and a flood of requests bounded.
 */
export function documentCacheSeconds(headers: IncomingHttpHeaders): number {
  const control = headers['cache-control']?.toLowerCase() ?? ''
  if (/(^|[\s,])(no-store|no-cache)($|[\s,=])/.test(control)) return shortest
  const maxAge = /(?:^|[\s,])max-age\s*=\s*"?(\d{1,10})/.exec(control)?.[1]
  if (maxAge === undefined) return usual
  const age = /^\d{1,10}$/.test(headers.age ?? '') ? Number(headers.age) : 0
  return Math.min(longest, Math.max(shortest, Number(maxAge) - age))
}
