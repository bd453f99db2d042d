import type { Caches } from '../lib/caches.ts'
import type { Stores } from '../oidc/stores.ts'
import { createTokenChecks, type TokenChecks } from '../oidc/tokenChecks.ts'
import type { Reader } from '../store/database.ts'
import { createFactCache } from '../store/facts/factCache.ts'
import type { FactGuard } from '../store/facts/factGuard.ts'
import type { RedisConnection } from '../store/redis.ts'

export interface ChecksArguments {
  caches: Caches
  stores: Stores
  guard: FactGuard
  redis: RedisConnection | undefined
}

/** Returns how access tokens are checked over the connections of a database. All checks of the process share what it keeps in memory. */
export function createChecks({ caches, stores, guard, redis }: ChecksArguments): (database: Reader) => TokenChecks {
  const cache = createFactCache(caches)
  // A change that was acknowledged while Redis could not be reached is not marked there.
  for (const event of ['close', '-node']) redis?.client.on(event, () => cache.clear())
  return (database) => createTokenChecks({ caches, stores, database, guard, cache, versioned: stores.versioned })
}
