import { type Policy, requireWithin, type Verdict } from './rateLimit.ts'

/** One policy that a request was counted under, and what that gave. */
export interface Count {
  policy: Policy
  verdict: Verdict
}

/**
 * What an answer says of its rate limits (draft-ietf-httpapi-ratelimit-headers-10): every policy that the request fell under,
 * and how it stands with the one that ends first.
 */
export function rateLimitHeaders(counts: readonly [Count, ...Count[]]): Record<'RateLimit-Policy' | 'RateLimit', string> {
  const policies = new Map(counts.map(({ policy }) => [policy.name, `"${policy.name}";q=${policy.requests};w=${policy.windowSeconds}`]))
  const { policy, verdict } = nearestItsEnd(counts)
  return {
    'RateLimit-Policy': [...policies.values()].join(', '),
    RateLimit: `"${policy.name}";r=${Math.max(0, verdict.remaining)};t=${verdict.resetSeconds}`,
  }
}

/** @throws Problem rate_limited with the longest `Retry-After` of the policies that are used up */
export function requireAllWithin(counts: readonly [Count, ...Count[]]): void {
  const { policy, verdict } = nearestItsEnd(counts)
  requireWithin(policy, verdict)
}

/** A policy that refuses before one that does not; then the one of which the least is left; then the one that stays so the longest. */
function nearestItsEnd(counts: readonly [Count, ...Count[]]): Count {
  const share = ({ policy, verdict }: Count): number => (verdict.allowed ? Math.max(0, verdict.remaining) / policy.requests : -1)
  return counts.reduce((nearest, count) => {
    const difference = share(count) - share(nearest)
    return difference < 0 || (difference === 0 && count.verdict.resetSeconds > nearest.verdict.resetSeconds) ? count : nearest
  })
}
