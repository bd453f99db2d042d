import { type Policy, requireWithin, type Verdict } from './rateLimit.ts'

export interface Count {
  policy: Policy
  verdict: Verdict
}

/**
 * Returns the rate limit headers (draft-ietf-httpapi-ratelimit-headers-10): every policy that applies to the request, and the state of the
 * one that is exhausted first. Returns none for a request that was not counted.
 */
export function rateLimitHeaders(counts: readonly Count[]): Partial<Record<'RateLimit-Policy' | 'RateLimit', string>> {
  const nearest = nearestItsEnd(counts)
  if (!nearest) return {}
  const policies = new Map(counts.map(({ policy }) => [policy.name, `"${policy.name}";q=${policy.requests};w=${policy.windowSeconds}`]))
  const { policy, verdict } = nearest
  return {
    'RateLimit-Policy': [...policies.values()].join(', '),
    RateLimit: `"${policy.name}";r=${Math.max(0, verdict.remaining)};t=${verdict.resetSeconds}`,
  }
}

/** @throws Problem rate_limited with the longest `Retry-After` of the exhausted policies */
export function requireAllWithin(counts: readonly Count[]): void {
  const nearest = nearestItsEnd(counts)
  if (nearest) requireWithin(nearest.policy, nearest.verdict)
}

/** Compares exhausted policies first, then the remaining uses, then the time until the reset. Returns undefined without a count. */
function nearestItsEnd(counts: readonly Count[]): Count | undefined {
  const share = ({ policy, verdict }: Count): number => (verdict.allowed ? Math.max(0, verdict.remaining) / policy.requests : -1)
  return counts.reduce<Count | undefined>((nearest, count) => {
    if (!nearest) return count
    const difference = share(count) - share(nearest)
    return difference < 0 || (difference === 0 && count.verdict.resetSeconds > nearest.verdict.resetSeconds) ? count : nearest
  }, undefined)
}
