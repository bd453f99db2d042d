import { setTimeout } from 'node:timers/promises'
import type { Policy } from '../http/rateLimit.ts'
import type { LimitKey } from '../lib/limitKey.ts'
import { addressKey, networkKey } from '../lib/networkKey.ts'
import type { BegunSignIn, SignInLimits } from '../pages/pagesArguments.ts'
import type { AttemptLimits, BegunAttempt } from '../store/attemptLimits.ts'

export interface SignInLimitArguments {
  attempts: AttemptLimits
  policies: Record<'perAddress' | 'perAccountAndNetwork' | 'perAccount' | 'perBrowser' | 'perFactor' | 'perFactorAndDay', Policy>
  isLimited: boolean
  onRefused(policy: string): void
}

/** A limit and what it counts. `isOfAccount`: a successful sign-in clears it. */
interface Bucket {
  policy: Policy
  key: LimitKey
  isOfAccount: boolean
}

const waitMilliseconds = 50
const longestWaitMilliseconds = 10_000
/** Beyond these an attempt is refused instead of waiting: waiting must cost less than checking a password. */
const mostWaiting = 200

/**
 * The limits of sign-ins. Failures of a stranger count by network address, by account and network, and by account. Failures in a browser
 * that signed in to the account before count by that browser alone: a stranger can neither use up its allowance nor lock it out.
 */
export function createSignInLimits({ attempts, policies, isLimited, onRefused }: SignInLimitArguments): SignInLimits {
  let waiting = 0

  const ofAccount = (schoolId: string, email: string, address: string): Bucket[] => [
    { policy: policies.perAccountAndNetwork, key: { schoolId, subject: `${email} ${networkKey(address)}` }, isOfAccount: true },
    { policy: policies.perAccount, key: { schoolId, subject: email }, isOfAccount: true },
  ]

  function bucketsOf({ schoolId, email, address, browser }: Parameters<SignInLimits['begin']>[0]): Bucket[] {
    const perAddress = { policy: policies.perAddress, key: addressKey(address), isOfAccount: false }
    if (email === undefined) return [perAddress]
    if (browser !== undefined)
      return [{ policy: policies.perBrowser, key: { schoolId, subject: `${email} ${browser}` }, isOfAccount: true }]
    return [perAddress, ...ofAccount(schoolId, email, address)]
  }

  const endAll = (buckets: readonly Bucket[], outcome: 'failed' | 'not counted') =>
    attempts.together(() => Promise.all(buckets.map(({ policy, key }) => attempts.end(policy, key, outcome))))

  const forgetAll = (buckets: readonly Bucket[]) =>
    attempts.together(() =>
      Promise.all(buckets.filter(({ isOfAccount }) => isOfAccount).map(({ policy, key }) => attempts.forget(policy, key))),
    )

  /** Reserves a place under every limit, or under none. */
  async function reserve(buckets: readonly Bucket[]): Promise<BegunAttempt> {
    const begun = await attempts.together(() =>
      Promise.all(buckets.map(async (bucket) => ({ bucket, verdict: await attempts.begin(bucket.policy, bucket.key) }))),
    )
    const refusal = begun.find(({ verdict }) => verdict.state !== 'begun')
    if (!refusal) return { state: 'begun' }
    const reserved = begun.filter(({ verdict }) => verdict.state === 'begun').map(({ bucket }) => bucket)
    await endAll(reserved, 'not counted')
    if (refusal.verdict.state === 'refused') onRefused(refusal.bucket.policy.name)
    return refusal.verdict
  }

  async function reserveInTime(buckets: readonly Bucket[]) {
    const deadline = Date.now() + longestWaitMilliseconds
    let verdict = await reserve(buckets)
    if (verdict.state !== 'busy' || waiting >= mostWaiting) return verdict
    waiting += 1
    try {
      while (verdict.state === 'busy' && Date.now() < deadline) {
        await setTimeout(waitMilliseconds)
        verdict = await reserve(buckets)
      }
    } finally {
      waiting -= 1
    }
    return verdict
  }

  async function begin(buckets: readonly Bucket[]): Promise<BegunSignIn> {
    if (!isLimited) return { isAllowed: true, failed: nothing, succeeded: nothing, abandoned: nothing }
    const verdict = await reserveInTime(buckets)
    if (verdict.state !== 'begun') return { isAllowed: false, retryAfterSeconds: verdict.state === 'refused' ? verdict.resetSeconds : 1 }
    return {
      isAllowed: true,
      async failed() {
        await endAll(buckets, 'failed')
      },
      async succeeded() {
        // In this order for each key.
        await attempts.together(() => Promise.all([endAll(buckets, 'not counted'), forgetAll(buckets)]))
      },
      async abandoned() {
        await endAll(buckets, 'not counted')
      },
    }
  }

  return {
    begin: (attempt) => begin(bucketsOf(attempt)),
    beginCode({ schoolId, accountId }) {
      const key = { schoolId, subject: accountId }
      return begin([
        { policy: policies.perFactor, key, isOfAccount: true },
        { policy: policies.perFactorAndDay, key, isOfAccount: true },
      ])
    },
    async passwordChanged({ schoolId, email, address }) {
      if (isLimited) await forgetAll(ofAccount(schoolId, email, address))
    },
  }
}

async function nothing(): Promise<void> {}
