import { setTimeout } from 'node:timers/promises'
import { limitExceeded, type Policy } from '../../base/http/rateLimit.ts'
import type { LimitKey } from '../../base/net/limitKey.ts'
import { addressKey, networkKey, siteKey } from '../../base/net/networkKey.ts'
import type { AttemptLimits, BegunAttempt } from '../../database/redis/attemptLimits.ts'
import type { PasswordCaller, PasswordGate, PasswordTurn } from '../../identity/accounts/passwordGate.ts'
import type { BegunSignIn, PasswordAttempt, SignInLimits } from '../../pages/pagesArguments.ts'

type PolicyName =
  | 'perAddress'
  | 'perAccountAndNetwork'
  | 'perAccount'
  | 'perBrowser'
  | 'perAccountOfBrowsers'
  | 'usesPerAccountAndNetwork'
  | 'usesPerNetwork'
  | 'perFactor'
  | 'perFactorAndDay'

export interface SignInLimitArguments {
  attempts: AttemptLimits
  policies: Record<PolicyName, Policy>
  gate: PasswordGate
  isLimited: boolean
  onRefused(policy: string): void
}

type Outcome = 'failure' | 'success' | 'abandoned'

/** A limit and what it counts. `isReset`: a success clears it. */
interface Bucket {
  policy: Policy
  key: LimitKey
  counts: readonly Outcome[]
  isReset?: boolean
}

type Refused = Extract<BegunAttempt, { state: 'refused' }>

const failures = ['failure'] as const
const waitMilliseconds = 50
const longestWaitMilliseconds = 10_000
/** Beyond these an attempt is refused instead of waiting: waiting must cost less than checking a password. */
const maxWaiting = 200

/**
 * The limits of sign-ins. Failures of a stranger count by network address, by account and network, and by account. Failures in a browser
 * that signed in to the account before count by that browser, and by account for all such browsers: a stranger can neither use up its
 * allowance nor lock it out. Successes count too, generously. A place under each limit is reserved only while a password is being compared:
 * attempts that wait in the queue use up nothing.
 */
export function createSignInLimits({ attempts, policies, gate, isLimited, onRefused }: SignInLimitArguments): SignInLimits {
  let waiting = 0

  const failuresOf = (schoolId: string, email: string, address: string): Bucket[] => [
    {
      policy: policies.perAccountAndNetwork,
      key: { schoolId, subject: `${email} ${networkKey(address)}` },
      counts: failures,
      isReset: true,
    },
    { policy: policies.perAccount, key: { schoolId, subject: email }, counts: failures, isReset: true },
  ]

  const failuresOfAddress = (address: string): Bucket => ({ policy: policies.perAddress, key: addressKey(address), counts: failures })

  const usesOf = (schoolId: string, email: string, address: string): Bucket => ({
    policy: policies.usesPerAccountAndNetwork,
    key: { schoolId, subject: `${email} ${networkKey(address)}` },
    counts: ['success'],
  })

  function bucketsOf({ schoolId, email, address, browser }: PasswordAttempt): Bucket[] {
    const ofAddress: Bucket[] = [
      failuresOfAddress(address),
      { policy: policies.usesPerNetwork, key: networkKey(address), counts: ['failure', 'success'] },
    ]
    if (email === undefined) return ofAddress
    const uses = usesOf(schoolId, email, address)
    if (browser === undefined) return [...ofAddress, ...failuresOf(schoolId, email, address), uses]
    return [
      { policy: policies.perBrowser, key: { schoolId, subject: `${email} ${browser}` }, counts: failures, isReset: true },
      // A success does not clear it: the owner's sign-ins must not allow more guesses to the holder of a stolen cookie.
      { policy: policies.perAccountOfBrowsers, key: { schoolId, subject: email }, counts: failures },
      uses,
    ]
  }

  const callerOf = ({ schoolId, email, address, browser }: PasswordAttempt): PasswordCaller => ({
    network: siteKey(address),
    account: `${schoolId} ${email ?? ''}`,
    isKnown: browser !== undefined,
  })

  const end = (buckets: readonly Bucket[], outcome: Outcome): Promise<unknown> =>
    // In this order for each key.
    attempts.together(() =>
      Promise.all(
        buckets.map(({ policy, key, counts, isReset }) =>
          Promise.all([
            attempts.end(policy, key, counts.includes(outcome) ? 'counted' : 'not counted'),
            isReset && outcome === 'success' && attempts.forget(policy, key),
          ]),
        ),
      ),
    )

  /** Reserves a place under every limit, or under none. */
  async function reserve(buckets: readonly Bucket[]): Promise<BegunAttempt> {
    const begun = await attempts.together(() =>
      Promise.all(buckets.map(async (bucket) => ({ bucket, verdict: await attempts.begin(bucket.policy, bucket.key) }))),
    )
    const refusal = begun.find(({ verdict }) => verdict.state !== 'begun')
    if (!refusal) return { state: 'begun' }
    const reserved = begun.filter(({ verdict }) => verdict.state === 'begun').map(({ bucket }) => bucket)
    await end(reserved, 'abandoned')
    if (refusal.verdict.state === 'refused') onRefused(refusal.bucket.policy.name)
    return refusal.verdict
  }

  /** Repeats a step while attempts that are under way might use up a limit. */
  async function inTime<Verdict extends { state: string }>(step: () => Promise<Verdict>): Promise<Verdict> {
    const deadline = Date.now() + longestWaitMilliseconds
    let verdict = await step()
    if (verdict.state !== 'busy' || waiting >= maxWaiting) return verdict
    waiting += 1
    try {
      while (verdict.state === 'busy' && Date.now() < deadline) {
        await setTimeout(waitMilliseconds)
        verdict = await step()
      }
    } finally {
      waiting -= 1
    }
    return verdict
  }

  /** Runs a check that hashes a password, under the limits of these buckets, in the caller's turn. */
  async function judged<Result>(
    buckets: readonly Bucket[],
    caller: PasswordCaller,
    check: (turn: <Value>(work: () => Promise<Value>) => Promise<Value>) => Promise<Result | undefined>,
  ): Promise<{ state: 'passed'; result: Result } | { state: 'failed' } | Refused> {
    if (!isLimited) {
      const result = await check((work) => gate(caller, work))
      return result === undefined ? { state: 'failed' } : { state: 'passed', result }
    }
    let isReserved = false
    const reserved = async <Value>(work: () => Promise<Value>) => {
      const verdict = await reserve(buckets)
      if (verdict.state !== 'begun') return verdict
      isReserved = true
      return { state: 'ran' as const, value: await work() }
    }
    try {
      let result = await check(async (work) => {
        const ran = await inTime(() => gate(caller, () => reserved(work)))
        if (ran.state === 'ran') return ran.value
        throw new LimitReached(ran)
      })
      if (!isReserved) {
        // Nothing could be compared: that is a failure like any other.
        const ran = await inTime(() => reserved(async () => undefined))
        if (ran.state !== 'ran') throw new LimitReached(ran)
        result = undefined
      }
      await end(buckets, result === undefined ? 'failure' : 'success')
      return result === undefined ? { state: 'failed' } : { state: 'passed', result }
    } catch (error) {
      if (isReserved) await end(buckets, 'abandoned')
      if (error instanceof LimitReached) return error.refusal
      throw error
    }
  }

  async function begin(buckets: readonly Bucket[]): Promise<BegunSignIn> {
    if (!isLimited) return { isAllowed: true, failed: nothing, succeeded: nothing, abandoned: nothing }
    const verdict = await inTime(() => reserve(buckets))
    if (verdict.state !== 'begun') return { isAllowed: false, retryAfterSeconds: refusalOf(verdict).resetSeconds }
    return {
      isAllowed: true,
      failed: async () => void (await end(buckets, 'failure')),
      succeeded: async () => void (await end(buckets, 'success')),
      abandoned: async () => void (await end(buckets, 'abandoned')),
    }
  }

  return {
    async attempt(attempted, check) {
      const verdict = await judged(bucketsOf(attempted), callerOf(attempted), (turn: PasswordTurn) => check(turn))
      if (verdict.state === 'refused') return { outcome: 'limited', retryAfterSeconds: verdict.resetSeconds }
      return verdict.state === 'passed' ? { outcome: 'passed', result: verdict.result } : { outcome: 'failed' }
    },
    async newPassword({ schoolId, email, address }, hash) {
      const uses = usesOf(schoolId, email, address)
      // The owner was identified, so they wait with the known browsers.
      const caller = { ...callerOf({ schoolId, email, address }), isKnown: true }
      const verdict = await judged([uses], caller, (turn) => turn(hash))
      if (verdict.state === 'passed') return verdict.result
      throw limitExceeded(uses.policy, { resetSeconds: verdict.state === 'refused' ? verdict.resetSeconds : 1 })
    },
    beginPasskey: (address) => begin([failuresOfAddress(address)]),
    beginCode({ schoolId, accountId }) {
      const key = { schoolId, subject: accountId }
      return begin([
        { policy: policies.perFactor, key, counts: failures, isReset: true },
        { policy: policies.perFactorAndDay, key, counts: failures, isReset: true },
      ])
    },
    async passwordChanged({ schoolId, email, address }) {
      if (!isLimited) return
      const buckets = failuresOf(schoolId, email, address)
      await attempts.together(() => Promise.all(buckets.map(({ policy, key }) => attempts.forget(policy, key))))
    },
  }
}

/** Ends a check whose caller may not go on. */
class LimitReached extends Error {
  readonly refusal: Refused
  constructor(verdict: BegunAttempt) {
    super('a limit of sign-ins is used up')
    this.refusal = refusalOf(verdict)
  }
}

const refusalOf = (verdict: BegunAttempt): Refused => (verdict.state === 'refused' ? verdict : { state: 'refused', resetSeconds: 1 })

async function nothing(): Promise<void> {}
