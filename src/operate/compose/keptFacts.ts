import type { Caches } from '../../base/process/caches.ts'
import type { Reader } from '../../database/connection/database.ts'
import { createFactCache } from '../../database/facts/factCache.ts'
import type { FactGuard } from '../../database/facts/factGuard.ts'
import type { RedisConnection } from '../../database/redis/redis.ts'
import { createKeptFacts, type KeptFacts } from '../../identity/oidc/keptFacts.ts'
import type { Stores } from '../../identity/oidc/stores.ts'

export interface KeptArguments {
  caches: Caches
  stores: Stores
  guard: FactGuard
  redis: RedisConnection | undefined
}

/** Returns how rows are read from memory and over the connections of a database. All parts of the process share what it keeps. */
export function createKept({ caches, stores, guard, redis }: KeptArguments): (database: Reader) => KeptFacts {
  const cache = createFactCache(caches)
  // A change that was acknowledged while Redis could not be reached is not marked there.
  for (const event of ['close', '-node']) redis?.client.on(event, () => cache.clear())
  return (database) => createKeptFacts({ ...stores, database, guard, cache })
}
