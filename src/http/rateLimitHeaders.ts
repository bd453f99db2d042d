import { type Policy, requireWithin, type Verdict } from './rateLimit.ts'

/** One policy that applies to a request, and its result. */
export interface Count {
  policy: Policy
  verdict: Verdict
}

/**
 * Sets the rate limit headers (draft-ietf-httpapi-ratelimit-headers-10): every policy that applies to the request, and the state of the one
 * that is exhausted first.
 */
export function rateLimitHeaders(counts: readonly [Count, ...Count[]]): Record<'RateLimit-Policy' | 'RateLimit', string> {
  const policies = new Map(counts.map(({ policy }) => [policy.name, `"${policy.name}";q=${policy.requests};w=${policy.windowSeconds}`]))
  const { policy, verdict } = nearestItsEnd(counts)
  return {
    'RateLimit-Policy': [...policies.values()].join(', '),
    RateLimit: `"${policy.name}";r=${Math.max(0, verdict.remaining)};t=${verdict.resetSeconds}`,
  }
}

/** @throws Problem rate_limited with the longest `Retry-After` of the exhausted policies */
export function requireAllWithin(counts: readonly [Count, ...Count[]]): void {
  const { policy, verdict } = nearestItsEnd(counts)
  requireWithin(policy, verdict)
}

/** Sorts exhausted policies first, then by the remaining uses, then by the time until the reset. */
function nearestItsEnd(counts: readonly [Count, ...Count[]]): Count {
  const share = ({ policy, verdict }: Count): number => (verdict.allowed ? Math.max(0, verdict.remaining) / policy.requests : -1)
  return counts.reduce((nearest, count) => {
    const difference = share(count) - share(nearest)
    return difference < 0 || (difference === 0 && count.verdict.resetSeconds > nearest.verdict.resetSeconds) ? count : nearest
  })
}
