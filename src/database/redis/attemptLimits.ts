import { createHash } from 'node:crypto'
import { type LimitKey, partsOfLimitKey } from '../../base/net/limitKey.ts'
import { createCaches } from '../../base/process/caches.ts'
import type { RateLimitPolicy, RateLimitsOptions } from './rateLimits.ts'
import { countPrefix, type RedisClient, sharedOrLocal } from './redis.ts'
import { together } from './together.ts'

/** `busy`: attempts that are under way might use up the limit. The caller asks again when one of them has ended. */
export type BegunAttempt = { state: 'begun' } | { state: 'busy' } | { state: 'refused'; resetSeconds: number }

/**
 * Limits of attempts that count by how they end, such as failures. An attempt reserves its place before it is judged, so that parallel
 * ones cannot exceed the limit, and gives the place back if it does not count.
 */
export interface AttemptLimits {
  /** Sends the steps that `work` starts in one round trip, if the store can. */
  together<Result>(work: () => Result): Result
  begin(policy: RateLimitPolicy, key: LimitKey): Promise<BegunAttempt>
  end(policy: RateLimitPolicy, key: LimitKey, outcome: 'counted' | 'not counted'): Promise<void>
  /** Forgets the failures of a key. Attempts that are under way keep their places. */
  forget(policy: RateLimitPolicy, key: LimitKey): Promise<void>
}

/** A process that dies during an attempt holds its place for this long. */
const pendingMilliseconds = 30_000

/**
 * Attempt limits in Redis where there is one, shared by all processes; otherwise each process counts for itself. One hash a key, one
 * command a step. Keys are hashed, so that no address and no e-mail address is stored.
 */
export function createAttemptLimits({ redis, prefix, onError, caches = createCaches() }: RateLimitsOptions): AttemptLimits {
  const scripts = redis && defineScripts(redis)
  let attempts: Memory | undefined
  // Created on first use: its tables take 3 MB, and with Redis it is needed only while that does not respond.
  const memory = (): Memory => {
    attempts ??= caches.create<Attempts>('attempts')
    return attempts
  }
  const count = sharedOrLocal(onError)
  const nameOf = ({ name, requests, windowSeconds }: RateLimitPolicy, key: LimitKey): string => {
    const { schoolId, subject } = partsOfLimitKey(key)
    const hashed = createHash('sha256').update(subject).digest('base64url')
    return `${countPrefix(prefix, schoolId)}attempts:${name}:${requests}:${windowSeconds}:${hashed}`
  }

  return {
    together: (work) => (redis ? together(redis, work) : work()),
    begin(policy, key) {
      const [name, now] = [nameOf(policy, key), Date.now()]
      return count(scripts && (async () => verdictOf(await scripts.sgBeginAttempt(name, now, policy.requests, pendingMilliseconds))), () =>
        beginInMemory(memory(), name, policy.requests, now),
      )
    },
    end(policy, key, outcome) {
      const [name, now, windowMilliseconds] = [nameOf(policy, key), Date.now(), policy.windowSeconds * 1000]
      const isCounted = outcome === 'counted'
      return count<void>(scripts && (async () => void (await scripts.sgEndAttempt(name, now, isCounted ? 1 : 0, windowMilliseconds))), () =>
        endInMemory(memory(), name, { isCounted, windowMilliseconds, now }),
      )
    },
    forget(policy, key) {
      const name = nameOf(policy, key)
      return count<void>(redis && (async () => void (await redis.hdel(name, 'failed', 'failed_until'))), () => {
        const found = memory().get(name)
        if (found) memory().set(name, { ...found, failed: 0 })
      })
    },
  }
}

interface Memory {
  get(name: string): Attempts | undefined
  set(name: string, attempts: Attempts): unknown
}

interface Attempts {
  failed: number
  /** When the failures are forgotten, in milliseconds since 1970. */
  failedUntil: number
  pending: number
  pendingUntil: number
}

function attemptsIn(memory: Memory, name: string, now: number): Attempts {
  const { failed, failedUntil, pending, pendingUntil } = memory.get(name) ?? { failed: 0, failedUntil: 0, pending: 0, pendingUntil: 0 }
  return { failed: failedUntil > now ? failed : 0, failedUntil, pending: pendingUntil > now ? pending : 0, pendingUntil }
}

function beginInMemory(memory: Memory, name: string, requests: number, now: number): BegunAttempt {
  const found = attemptsIn(memory, name, now)
  if (found.failed >= requests) return verdictOf(found.failedUntil - now)
  if (found.failed + found.pending >= requests) return { state: 'busy' }
  memory.set(name, { ...found, pending: found.pending + 1, pendingUntil: now + pendingMilliseconds })
  return { state: 'begun' }
}

function endInMemory(
  memory: Memory,
  name: string,
  { isCounted, windowMilliseconds, now }: { isCounted: boolean; windowMilliseconds: number; now: number },
): void {
  const found = attemptsIn(memory, name, now)
  memory.set(name, {
    ...found,
    pending: Math.max(0, found.pending - 1),
    ...(isCounted && { failed: found.failed + 1, failedUntil: found.failed > 0 ? found.failedUntil : now + windowMilliseconds }),
  })
}

/** -1 for begun, 0 for busy, otherwise the milliseconds until failures are forgotten. */
function verdictOf(answer: number): BegunAttempt {
  if (answer < 0) return { state: 'begun' }
  return answer === 0 ? { state: 'busy' } : { state: 'refused', resetSeconds: Math.max(1, Math.ceil(answer / 1000)) }
}

interface Scripts {
  sgBeginAttempt(key: string, now: number, requests: number, pendingMilliseconds: number): Promise<number>
  sgEndAttempt(key: string, now: number, isCounted: 0 | 1, windowMilliseconds: number): Promise<number>
}

const readAttempts = `
  local now = tonumber(ARGV[1])
  local found = redis.call('HMGET', KEYS[1], 'failed', 'failed_until', 'pending', 'pending_until')
  local failed, failed_until = tonumber(found[1] or 0), tonumber(found[2] or 0)
  local pending, pending_until = tonumber(found[3] or 0), tonumber(found[4] or 0)
  if failed_until <= now then failed = 0 end
  if pending_until <= now then pending = 0 end`

const writeAttempts = `
  redis.call('HSET', KEYS[1], 'failed', failed, 'failed_until', failed_until, 'pending', pending, 'pending_until', pending_until)
  redis.call('PEXPIRE', KEYS[1], math.max(failed_until, pending_until, now + 1) - now)`

function defineScripts(redis: RedisClient): Scripts {
  const lua: Record<keyof Scripts, string> = {
    sgBeginAttempt: `${readAttempts}
  if failed >= tonumber(ARGV[2]) then return failed_until - now end
  if failed + pending >= tonumber(ARGV[2]) then return 0 end
  pending, pending_until = pending + 1, now + tonumber(ARGV[3])${writeAttempts}
  return -1`,
    sgEndAttempt: `${readAttempts}
  pending = math.max(0, pending - 1)
  if ARGV[2] == '1' then
    if failed == 0 then failed_until = now + tonumber(ARGV[3]) end
    failed = failed + 1
  end${writeAttempts}
  return 1`,
  }
  for (const [name, script] of Object.entries(lua)) redis.defineCommand(name, { numberOfKeys: 1, lua: script })
  return redis as unknown as Scripts
}
