import { Cluster } from 'ioredis'
import { answered, type RedisClient } from './redis.ts'
import { schoolPrefix } from './redisKeys.ts'

/** Deletes everything of a school from Redis. Returns how many keys were deleted. */
export async function removeSchoolKeys(redis: RedisClient, schoolId: string): Promise<number> {
  let removed = 0
  for (const node of redis instanceof Cluster ? redis.nodes('master') : [redis]) {
    const batches: AsyncIterable<string[]> = node.scanStream({ match: `${schoolPrefix(schoolId)}*`, count: 1000 })
    for await (const keys of batches) {
      // One key a command: a cluster takes no command on keys of several slots.
      const counts = await answered(Promise.all(keys.map((key) => node.unlink(key))))
      removed += counts.reduce((sum, count) => sum + count, 0)
    }
  }
  return removed
}
