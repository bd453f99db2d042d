import { newId } from '../../base/ids.ts'
import { answered, type RedisClient, sharedOrLocal } from '../redis/redis.ts'
import { contentFact, type FactVersion, schoolFact } from './fact.ts'
import { epochSeconds, type FactGuard } from './factGuard.ts'
import { isBusy, markerKey } from './redisMarkers.ts'

/**
 * Versions of what visitors can read of a school: every change of a row that a response to a visitor can show makes a new one, other than a
 * change of counters alone.
 */
export interface ContentVersions {
  /** Returns the current version; undefined on PostgreSQL without Redis. Never rejects. */
  read(schoolId: string): Promise<FactVersion>
}

export interface ContentVersionsOptions {
  guard: Pick<FactGuard, 'memory'>
  redis?: RedisClient | undefined
  /** Prefix of every key, for a shared Redis. */
  prefix?: string
}

export function createContentVersions({ guard, redis, prefix }: ContentVersionsOptions): ContentVersions {
  const fromRedis = sharedOrLocal()
  async function ask(client: RedisClient, schoolId: string): Promise<FactVersion> {
    const epochKey = markerKey(schoolFact(schoolId), prefix)
    const [epoch = null, marker] = await answered(client.mget(epochKey, markerKey(contentFact(schoolId), prefix)))
    // Redis is new, or has lost its data. Nothing waits for the new epoch.
    if (epoch === null) void client.set(epochKey, newId(), 'EX', epochSeconds, 'NX').catch(() => undefined)
    return epoch === null || isBusy(epoch) ? undefined : `${epoch} ${marker ?? ''}`
  }
  return {
    async read(schoolId) {
      if (redis?.status !== 'ready') return guard.memory?.versionOf(contentFact(schoolId))
      return await fromRedis(
        () => ask(redis, schoolId),
        () => undefined,
      )
    },
  }
}
