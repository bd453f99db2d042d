import { Problem } from '../lib/problem.ts'

/** How often one key may do something. */
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

/** Counts one use and says whether it was still within the policy. */
export type Limiter = (policy: Policy, key: string) => Promise<Verdict>

/** Counts one use; throws `rate_limited` with `Retry-After` where it was one too many. */
export async function enforce(limiter: Limiter, policy: Policy, key: string): Promise<void> {
  requireWithin(policy, await limiter(policy, key))
}

/** @throws Problem rate_limited with `Retry-After` where the verdict says so */
export function requireWithin(policy: Policy, verdict: Verdict): void {
  if (verdict.allowed) return
  throw new Problem('rate_limited', {
    description: `Too many requests: ${policy.requests} in ${policy.windowSeconds} seconds are allowed. Try again in ${verdict.resetSeconds} seconds.`,
    headers: { 'Retry-After': String(Math.max(1, verdict.resetSeconds)) },
  })
}

/** Addresses that one customer controls count as one: the address itself for IPv4, its /64 for IPv6. */
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
