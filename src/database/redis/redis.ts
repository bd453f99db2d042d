import { once } from 'node:events'
import { Cluster, Redis, type RedisOptions } from 'ioredis'
import { reasonOf as textOf } from '../../base/log/reason.ts'
import type { Tracing } from '../../base/log/tracing.ts'
import { outage } from '../../base/process/outage.ts'
import { withinDeadline } from '../connection/withinDeadline.ts'
import { parseRedisUrl, type RedisAddress } from './redisAddress.ts'
import { limitCommands } from './redisCommands.ts'
import { traceCommands } from './redisSpans.ts'

/** One server, a primary found through sentinels, or a cluster: all speak the same single-key commands. */
export type RedisClient = Redis | Cluster

export interface RedisConnection {
  client: RedisClient
  /**
   * Connects, and tries again until the deadline.
   * @throws Error with the last reason; the connection is closed then.
   */
  connect(deadlineSeconds?: number): Promise<void>
  figures(): { isReady: boolean; errors: number }
  /** Writes a key that expires. Throws when Redis does not respond within two seconds, is full, or takes no writes. */
  ping(): Promise<void>
  /** Lets answers on their way arrive, for at most a second. */
  close(): Promise<void>
}

const commandTimeout = 2000
/** How long a failed check waits for the next attempt to connect, which starts after 50 ms. */
const attemptMs = 300
/** Written by readiness checks. All processes share it. */
const probeKey = 'sg:readiness'

/**
 * A connection that fails fast: a command that cannot be answered is rejected within two seconds, and is never sent twice, because a
 * repeated compare-and-set would report to its only winner that it lost. Nothing is opened before `connect`.
 *
 * Redis must not evict (`maxmemory-policy noeviction`): an evicted session is a person who is signed out.
 */
export function createRedis(
  url: string,
  { onError, tracing }: { onError: (error: Error) => void; tracing?: Tracing | undefined },
): RedisConnection {
  const client = createClient(parseRedisUrl(url))
  limitCommands(client, commandTimeout)
  if (tracing) traceCommands(client, tracing)
  let lastError: unknown
  let errors = 0
  client.on('error', (error: unknown) => {
    lastError = error
    errors += 1
    onError(redisFailure(error))
  })
  // A later outage has another reason.
  client.on('ready', () => {
    lastError = undefined
  })
  /** The connection knows why it failed, the command only that there was none. Right after the loss, the next attempt finds out. */
  const reasonOfLoss = async (error: unknown): Promise<unknown> => {
    if (client.status === 'ready') return error
    if (lastError === undefined) await withinDeadline(once(client, 'error'), attemptMs, 'it').catch(() => undefined)
    return lastError ?? error
  }

  return {
    client,
    async connect(deadlineSeconds = 10) {
      const ready = new Promise<void>((resolve, reject) => {
        client.once('ready', resolve)
        client.once('end', () => reject(new Error('the connection was closed')))
      })
      // The client goes on trying by itself: only `ready`, `end` and the deadline decide.
      client.connect().catch(() => undefined)
      try {
        await withinDeadline(ready, deadlineSeconds * 1000, 'it')
      } catch (error) {
        client.disconnect()
        throw new Error(`Redis cannot be reached: ${reasonOf(lastError ?? error)}`)
      }
    },
    figures: () => ({ isReady: client.status === 'ready', errors }),
    async ping() {
      try {
        await client.set(probeKey, '1', 'EX', 60)
      } catch (error) {
        throw redisFailure(await reasonOfLoss(error))
      }
    },
    async close() {
      if (client.status === 'ready') await withinDeadline(client.quit(), 1000, 'it').catch(() => undefined)
      client.disconnect()
    },
  }
}

/** The same answer; an error comes out as `redisFailure` says. */
export async function answered<Value>(reply: Promise<Value>): Promise<Value> {
  try {
    return await reply
  } catch (error) {
    throw redisFailure(error)
  }
}

/** The client's errors carry the command's arguments, among them payloads and the password: only the reason may reach a log. */
export function redisFailure(error: unknown): Error {
  return outage(`Redis: ${reasonOf(error)}`)
}

function reasonOf(error: unknown): string {
  const reason = textOf(error).replace(/,? with args beginning with.*$/s, '')
  return clientMessages.find(([pattern]) => pattern.test(reason))?.[1] ?? reason
}

/** Messages of the client that name its options instead of the failure. */
const clientMessages: readonly [RegExp, string][] = [
  [/^(Reached the max retries per request limit|Stream isn't writeable|Connection is closed)/, 'no connection'],
  [/^Command timed out/, `no response within ${commandTimeout} ms`],
]

function createClient({ mode, hosts, db, tls, username, password, master, sentinelUsername, sentinelPassword }: RedisAddress): RedisClient {
  const options = {
    lazyConnect: true,
    connectTimeout: commandTimeout,
    maxRetriesPerRequest: 0,
    // After a failover the old primary may still answer, but takes no writes.
    reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
    ...(username && { username }),
    ...(password && { password }),
    ...(tls && { tls: {} }),
  } satisfies RedisOptions
  if (mode === 'cluster') {
    return new Cluster(hosts, {
      lazyConnect: true,
      enableOfflineQueue: false,
      maxRedirections: 8,
      slotsRefreshTimeout: commandTimeout,
      clusterRetryStrategy: backoff,
      // Each node has a connection, so the client watches them.
      redisOptions: { ...options, socketTimeout: commandTimeout + 1000 },
      // Certificates name hosts, not addresses.
      ...(tls && { dnsLookup: (host, found) => found(null, host) }),
    })
  }
  const single = { ...options, db, retryStrategy: backoff }
  if (mode === 'single') return new Redis({ ...single, ...hosts[0] })
  return new Redis({
    ...single,
    sentinels: hosts,
    ...(master && { name: master }),
    sentinelCommandTimeout: commandTimeout,
    sentinelRetryStrategy: backoff,
    enableTLSForSentinelMode: tls,
    ...(tls && { sentinelTLS: {} }),
    ...(sentinelUsername && { sentinelUsername }),
    ...(sentinelPassword && { sentinelPassword }),
  })
}

/** Milliseconds before the next attempt: 50, 100, 200 … 2000. */
function backoff(attempts: number): number {
  return Math.min(25 * 2 ** Math.min(attempts, 10), 2000)
}

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

/**
 * Returns the beginning of every key of a school. The braces put all keys of a school into one slot of a cluster, so that one script or one
 * pipeline can use several of them. `prefix` must not contain braces.
 */
export const schoolPrefix = (schoolId: string, prefix = ''): string => `${prefix}sg:{${schoolId}}:`

/**
 * Returns the beginning of the keys that count uses. `prefix` is the name of the service. A limit that is counted over all schools has no
 * school: its key is alone in its slot.
 */
export const countPrefix = (prefix: string, schoolId: string | undefined): string =>
  schoolId === undefined ? `${prefix}:` : `${prefix}:{${schoolId}}:`

const timeoutMilliseconds = 250
const pauseMilliseconds = 1000

/** Runs `shared`, which asks Redis, or `local` where there is no Redis or it fails. */
export type SharedOrLocal = <Value>(shared: (() => Promise<Value>) | undefined, local: () => Value | Promise<Value>) => Promise<Value>

/**
 * Counts in the memory of the process while Redis fails, so that an outage of Redis does not refuse requests. Asks Redis again after a pause.
 * `onError` is called once for each pause.
 */
export function sharedOrLocal(onError?: (error: Error) => void): SharedOrLocal {
  let pausedUntil = 0
  return async (shared, local) => {
    if (shared && Date.now() >= pausedUntil) {
      try {
        return await withinDeadline(shared(), timeoutMilliseconds, 'the rate limiter')
      } catch (error) {
        if (Date.now() >= pausedUntil) onError?.(redisFailure(error))
        pausedUntil = Date.now() + pauseMilliseconds
      }
    }
    return local()
  }
}
