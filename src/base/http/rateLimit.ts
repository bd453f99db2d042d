import type { LimitKey } from '../net/limitKey.ts'
import { Problem } from '../problem.ts'
import type { RequestState } from './requestState.ts'

export interface Policy {
  name: string
  requests: number
  windowSeconds: number
}

export interface Verdict {
  allowed: boolean
  remaining: number
  resetSeconds: number
}

export type Limiter = (policy: Policy, key: LimitKey) => Promise<Verdict>

/** The part of a context by which failures are counted. */
export interface Counted {
  state: Pick<RequestState, 'school' | 'address'>
}

/**
 * A limit of failures by the caller's address, for requests with a credential that has to be looked up. `check` comes before the look-up,
 * and `count` after a failed one. Both have no effect if limits are off.
 */
export interface FailureLimit {
  /** @throws Problem rate_limited if the address has exceeded the limit */
  check(ctx: Counted): Promise<void>
  count(ctx: Counted): Promise<void>
}

/** Counts one use; throws `rate_limited` with `Retry-After` if the limit is exceeded. */
export async function enforce(limiter: Limiter, policy: Policy, key: LimitKey): Promise<void> {
  requireWithin(policy, await limiter(policy, key))
}

/** @throws Problem rate_limited with `Retry-After` if the limit is exceeded */
export function requireWithin(policy: Policy, verdict: Verdict): void {
  if (!verdict.allowed) throw limitExceeded(policy, verdict)
}

export function limitExceeded({ name, requests, windowSeconds }: Policy, { resetSeconds }: Pick<Verdict, 'resetSeconds'>): Problem {
  return new Problem('rate_limited', {
    description: `Too many requests: ${requests} in ${windowSeconds} seconds are allowed. Try again in ${resetSeconds} seconds.`,
    headers: { 'Retry-After': String(Math.max(1, resetSeconds)) },
    limit: name,
  })
}
