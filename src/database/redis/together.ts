import { Cluster } from 'ioredis'
import type { RedisClient } from './redis.ts'

/**
 * Sends the commands that `work` gives the client before it waits for anything in one write, so that they cost one round trip. Their
 * answers arrive one by one, as always. The nodes of a cluster each get what concerns them.
 */
export function together<Result>(redis: RedisClient, work: () => Result): Result {
  if (redis instanceof Cluster || redis.status !== 'ready') return work()
  const { stream } = redis
  stream.cork()
  try {
    return work()
  } finally {
    stream.uncork()
  }
}
