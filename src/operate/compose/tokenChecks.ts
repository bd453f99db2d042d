import type { Caches } from '../../base/process/caches.ts'
import type { Reader } from '../../database/connection/database.ts'
import { createFactCache } from '../../database/facts/factCache.ts'
import type { FactGuard } from '../../database/facts/factGuard.ts'
import type { RedisConnection } from '../../database/redis/redis.ts'
import type { Stores } from '../../identity/oidc/stores.ts'
import { createTokenChecks, type TokenChecks } from '../../identity/oidc/tokenChecks.ts'

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
