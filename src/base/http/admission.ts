import { type LimitKey, partsOfLimitKey } from '../net/limitKey.ts'
import type { Caches } from '../process/caches.ts'
import { type Limiter, type Policy, requireWithin } from './rateLimit.ts'

export interface Admission {
  /** False if the limit may be used up: `count` should come before any work. */
  isLikely: boolean
  /**
   * Counts the request, once, however often it is called.
   * @throws Problem rate_limited
   */
  count(): Promise<void>
}

export type Admit = (policy: Policy, key: LimitKey) => Admission

/**
 * Lets a request be counted together with a later write to the store, which saves a round trip. Nothing that the request asks for may take
 * effect before it is counted, so the limit stays exact. Requests whose key may have used up its limit must be counted first: a caller over
 * the limit can cause at most `remaining` unnecessary operations.
 */
export function createAdmit(limiter: Limiter, caches: Caches): Admit {
  const known = caches.create<{ remaining: number; resetAt: number }>('admissions')
  const underWay = new Map<string, number>()

  return (policy, key) => {
    const { schoolId = '', subject } = partsOfLimitKey(key)
    const id = `${policy.name} ${schoolId} ${subject}`
    const last = known.get(id)
    const left = last !== undefined && last.resetAt > Date.now() ? last.remaining : 1
    const others = underWay.get(id) ?? 0
    underWay.set(id, others + 1)

    const finish = (): void => {
      const before = underWay.get(id) ?? 1
      if (before > 1) underWay.set(id, before - 1)
      else underWay.delete(id)
    }
    const count = async (): Promise<void> => {
      try {
        const verdict = await limiter(policy, key)
        known.set(id, { remaining: verdict.remaining, resetAt: Date.now() + verdict.resetSeconds * 1000 })
        requireWithin(policy, verdict)
      } finally {
        finish()
      }
    }
    let counted: Promise<void> | undefined
    return {
      isLikely: left > others,
      count() {
        counted ??= count()
        return counted
      },
    }
  }
}
