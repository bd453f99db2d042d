import { createHash } from 'node:crypto'
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import { type LimitKey, partsOfLimitKey } from '../../base/net/limitKey.ts'
import { type Caches, createCaches } from '../../base/process/caches.ts'
import { countPrefix, type RedisClient, sharedOrLocal } from './redis.ts'

/** So many requests of one key in a window that starts with the first of them. `name` distinguishes policies. */
export interface RateLimitPolicy {
  name: string
  requests: number
  windowSeconds: number
}

export interface RateLimitResult {
  allowed: boolean
  remaining: number
  /** Until the window ends, at least 1. */
  resetSeconds: number
}

export interface RateLimits {
  consume(policy: RateLimitPolicy, key: LimitKey, points?: number): Promise<RateLimitResult>
  /** Returns whether the key has used up its limit, without counting a request. */
  peek(policy: RateLimitPolicy, key: LimitKey): Promise<RateLimitResult>
  /** Gives points back: what was counted turned out not to count. */
  reward(policy: RateLimitPolicy, key: LimitKey, points?: number): Promise<void>
  /** Forgets the key's window. */
  reset(policy: RateLimitPolicy, key: LimitKey): Promise<void>
}

export interface RateLimitsOptions {
  redis?: RedisClient
  /** Keeps the buckets of services that share one Redis apart. */
  prefix: string
  /** Called when Redis fails, once for each pause. */
  onError?: (error: Error) => void
  caches?: Caches
  /** How many keys of one policy a process remembers; beyond that the longest unseen are forgotten. */
  keysInMemory?: number
}

/** Timers take 31 bits of milliseconds. */
const longestWindowSeconds = 2_000_000

/**
 * Rate limits in Redis where there is one, shared by all processes. Without Redis each process counts for itself, so n processes allow up
 * to n times as much: exact limits over several processes demand Redis.
 *
 * While Redis fails, requests are counted in the memory of the process, and Redis is asked again after a pause. Keys
 * are hashed, so neither an address nor an e-mail is stored, and their length costs nothing.
 */
export function createRateLimits({ redis, prefix, onError, caches = createCaches(), keysInMemory }: RateLimitsOptions): RateLimits {
  const buckets = new Map<string, Buckets>()
  const count = sharedOrLocal(onError)

  function bucketsOf(policy: RateLimitPolicy): Buckets {
    const { name, requests, windowSeconds } = policy
    const id = `${name}:${requests}:${windowSeconds}`
    const known = buckets.get(id)
    if (known) return known
    const created = createBuckets(policy, { redis, caches, keysInMemory })
    buckets.set(id, created)
    return created
  }

  async function onStore<Value>(
    policy: RateLimitPolicy,
    key: LimitKey,
    work: (limiter: RateLimiterAbstract, key: string) => Promise<Value>,
  ) {
    const { shared, local, remember } = bucketsOf(policy)
    const { schoolId, subject } = partsOfLimitKey(key)
    const { name, requests, windowSeconds } = policy
    const hash = createHash('sha256').update(subject).digest('base64url')
    const bucket = `${countPrefix(prefix, schoolId)}limit:${name}:${requests}:${windowSeconds}:${hash}`
    return count(shared && (() => work(shared, bucket)), () => {
      remember(bucket)
      return work(local, bucket)
    })
  }

  return {
    async consume(policy, key, points = 1) {
      const taken = await onStore(policy, key, async (limiter, bucket) => take(limiter, bucket, points))
      return { ...taken, remaining: taken.allowed ? taken.remaining : 0 }
    },
    peek: (policy, key) => onStore(policy, key, async (limiter, bucket) => stateOf(policy, await limiter.get(bucket))),
    async reward(policy, key, points = 1) {
      await onStore(policy, key, (limiter, bucket) => limiter.reward(bucket, points))
    },
    async reset(policy, key) {
      await onStore(policy, key, async (limiter, bucket) => {
        await bucketsOf(policy).local.delete(bucket)
        await limiter.delete(bucket)
      })
    },
  }
}

interface Buckets {
  shared: RateLimiterRedis | undefined
  local: RateLimiterMemory
  remember(key: string): void
}

function createBuckets(
  { name, requests, windowSeconds }: RateLimitPolicy,
  { redis, caches, keysInMemory }: { redis: RedisClient | undefined; caches: Caches; keysInMemory: number | undefined },
): Buckets {
  if (!Number.isInteger(requests) || requests < 1) throw new Error(`Rate limit ${name}: requests must be a whole number from 1`)
  if (!Number.isInteger(windowSeconds) || windowSeconds < 1 || windowSeconds > longestWindowSeconds) {
    throw new Error(`Rate limit ${name}: the window must be a whole number of seconds from 1 to ${longestWindowSeconds}`)
  }
  // The keys are complete.
  const limits = { points: requests, duration: windowSeconds, keyPrefix: '' }
  const local = new RateLimiterMemory(limits)
  // The limiter drops keys when their window ends. Without a bound, invented keys could fill the memory within one window.
  const seen = caches.create<true>('rate_limits', {
    ...(keysInMemory !== undefined && { max: keysInMemory }),
    dispose: (_value, key, reason) => {
      if (reason === 'evict') void local.delete(key)
    },
  })
  return {
    shared: redis && new RateLimiterRedis({ ...limits, storeClient: redis, rejectIfRedisNotReady: true }),
    local,
    remember: (key) => seen.set(key, true),
  }
}

function stateOf({ requests, windowSeconds }: RateLimitPolicy, found: RateLimiterRes | null): RateLimitResult {
  const remaining = Math.max(0, found?.remainingPoints ?? requests)
  return { allowed: remaining > 0, remaining, resetSeconds: found ? Math.max(1, Math.ceil(found.msBeforeNext / 1000)) : windowSeconds }
}

async function take(limiter: RateLimiterAbstract, key: string, points: number): Promise<RateLimitResult> {
  const [allowed, state] = await limiter.consume(key, points).then(
    (left) => [true, left] as const,
    (refused: unknown) => {
      if (refused instanceof RateLimiterRes) return [false, refused] as const
      throw refused
    },
  )
  return { allowed, remaining: state.remainingPoints, resetSeconds: Math.max(1, Math.ceil(state.msBeforeNext / 1000)) }
}
