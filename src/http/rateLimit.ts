import type { Context } from 'koa'
import { Problem } from '../lib/problem.ts'

/** The number of uses that one key has in a window. */
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

/** Counts one use and returns whether it is within the policy. */
export type Limiter = (policy: Policy, key: string) => Promise<Verdict>

/**
 * A limit of failures by the caller's address, for requests with a credential that has to be looked up. `check` comes before the look-up,
 * and `count` after a failed one. Both have no effect if limits are off.
 */
export interface FailureLimit {
  /** @throws Problem rate_limited if the address has exceeded the limit */
  check(ctx: Context): Promise<void>
  count(ctx: Context): Promise<void>
}

/** Counts one use; throws `rate_limited` with `Retry-After` if the limit is exceeded. */
export async function enforce(limiter: Limiter, policy: Policy, key: string): Promise<void> {
  requireWithin(policy, await limiter(policy, key))
}

/** @throws Problem rate_limited with `Retry-After` if the limit is exceeded */
export function requireWithin(policy: Policy, verdict: Verdict): void {
  if (verdict.allowed) return
  throw new Problem('rate_limited', {
    description: `Too many requests: ${policy.requests} in ${policy.windowSeconds} seconds are allowed. Try again in ${verdict.resetSeconds} seconds.`,
    headers: { 'Retry-After': String(Math.max(1, verdict.resetSeconds)) },
  })
}

/** Returns the network of an address: its /24 for IPv4, its /64 for IPv6. An attacker can use all addresses of a network. */
export function networkKey(address: string): string {
  const key = addressKey(address)
  return key.includes(':') ? key : `${key.split('.').slice(0, 3).join('.')}.0/24`
}

/** Returns the key under which an address is counted: the address itself for IPv4, its /64, which one customer controls, for IPv6. */
export function addressKey(address: string): string {
  if (!address.includes(':')) return address
  if (address.startsWith('::ffff:') && address.includes('.')) return address.slice(7)
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length)
  const all = [...groups, ...Array<string>(Math.max(0, missing)).fill('0'), ...(tail ? tail.split(':') : [])]
  return `${all
    .slice(0, 4)
    .map((group) => Number.parseInt(group || '0', 16).toString(16))
    .join(':')}::/64`
}
