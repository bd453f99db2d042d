import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../../base/log/log.ts'
import { reasonOf } from '../../base/log/reason.ts'
import type { Tracing } from '../../base/log/tracing.ts'
import { hasOptions, poolerOf } from '../../base/net/pooler.ts'
import type { Caches } from '../../base/process/caches.ts'
import { isOutage } from '../../base/process/outage.ts'
import type { Environment } from '../../config/environment.ts'
import type { ServerConfig } from '../../config/server.ts'
import type { Database } from '../../database/connection/database.ts'
import { isRefusedStart, requireSession, unnamedPooler } from '../../database/connection/requireSession.ts'
import type { RedisConnection } from '../../database/redis/redis.ts'
import { openConfiguredDatabase, openConfiguredRedis } from './open.ts'

export interface WaitArguments {
  caches?: Caches
  environment: Environment
  /** How many connections to the database may be open. */
  connections?: ServerConfig['database_connections']
  /** Records what the stores are asked. */
  tracing?: Tracing | undefined
  log: Log
  /** The `performance.now()` at which the start fails. */
  deadline: number
  /** Called after every failed attempt, with the store and the reason. */
  onWaiting(variable: 'DATABASE_URL' | 'REDIS_URL', text: string): void
}

/**
 * Opens the database. A server that is unavailable is tried again until the deadline.
 * @throws Error that names DATABASE_URL
 */
export function waitForDatabase(args: WaitArguments): Promise<Database> {
  const { environment, log } = args
  // The embedded database is a directory, so waiting does not help.
  const url = environment.DATABASE_URL
  if (!url) return openConfiguredDatabase(environment, log, args)
  return waitFor(args, {
    variable: 'DATABASE_URL',
    server: 'PostgreSQL',
    mayPass: (error) => isOutage(error) && !isRefusedStart(error),
    async open() {
      const database = await openConfiguredDatabase(environment, log, args)
      try {
        await requireSession(database.sql, poolerOf(url) ?? 'none', hasOptions(url))
        return database
      } catch (error) {
        await database.close()
        throw isRefusedStart(error) ? unnamedPooler() : error
      }
    },
  })
}

/**
 * Connects to Redis, if the environment names one. A server that is unavailable is tried again until the deadline.
 * @throws Error that names REDIS_URL
 */
export async function waitForRedis(args: WaitArguments): Promise<RedisConnection | undefined> {
  const { environment, log, tracing } = args
  if (!environment.REDIS_URL) return undefined
  return await waitFor(args, {
    variable: 'REDIS_URL',
    server: 'Redis',
    mayPass: (error) => !/The Redis URL|NOAUTH|WRONGPASS|NOPERM/.test(reasonOf(error)),
    open: () => openConfiguredRedis(environment, log, { deadlineSeconds: attemptSeconds, tracing }),
  })
}

interface Store<Opened> {
  variable: 'DATABASE_URL' | 'REDIS_URL'
  server: string
  open(): Promise<Opened>
  /** Returns true if the same attempt may succeed later. */
  mayPass(error: unknown): boolean
}

const attemptSeconds = 2
const [firstPauseMs, longestPauseMs] = [250, 5000]

async function waitFor<Opened>({ environment, log, deadline, onWaiting }: WaitArguments, store: Store<Opened>): Promise<Opened> {
  const { variable, server, open, mayPass } = store
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return await open()
    } catch (error) {
      const reason = reasonOf(error)
      if (!mayPass(error)) throw new Error(`${variable}: ${reason}`, { cause: error })
      const leftMs = deadline - performance.now()
      const text = `${server} is unavailable: ${reason}`
      if (leftMs <= 0) {
        const tried = `tried for ${environment.START_TIMEOUT_SECONDS} s (START_TIMEOUT_SECONDS)`
        throw new Error(`${variable}: ${text}; ${tried}`, { cause: error })
      }
      onWaiting(variable, text)
      log.warn({ variable, reason, gives_up_in_seconds: Math.ceil(leftMs / 1000) }, `waiting for ${server}`)
      await delay(Math.min(pauseMs, leftMs))
    }
  }
}
