import { postgresUrl } from '../../test/support/databases.ts'
import { startPgBouncer } from '../../test/support/pgBouncer.ts'
import { startRedisCluster, startSentinelRedis } from '../../test/support/redisServers.ts'
import { recordRequestUse } from './sharding/requestUse.ts'
import { suites } from './suites.ts'

/** A distributed engine, and the suites that must pass on it. */
export interface Engine {
  name: string
  about: string
  files: readonly string[]
  /** Starts the engine. The suites find it by these variables. `isPartial`: not all files run. */
  start(run: { isPartial: boolean }): Promise<RunningEngine>
}

export interface RunningEngine {
  environment: Record<string, string>
  /** Returns the problems that only the whole run shows. */
  problems?(): Promise<string[]>
  stop(): Promise<void>
}

export const engines: readonly Engine[] = [
  {
    name: 'redis-cluster',
    about: 'Redis Cluster of three masters',
    files: suites.ofRedis,
    async start() {
      const { url, stop } = await startRedisCluster()
      return { environment: { TEST_REDIS_URL: url }, stop }
    },
  },
  {
    name: 'redis-sentinel',
    about: 'Redis with three sentinels, after a fail-over to the replica',
    files: suites.ofRedis,
    async start() {
      const { url, failOver, stop } = await startSentinelRedis()
      await failOver()
      return { environment: { TEST_REDIS_URL: url }, stop }
    },
  },
  ...(['session', 'transaction'] as const).map(
    (mode): Engine => ({
      name: `pgbouncer-${mode}`,
      about: `PostgreSQL behind PgBouncer in ${mode} mode`,
      files: suites.ofPostgresql,
      async start() {
        const { host, stop } = await startPgBouncer(mode, postgresUrl)
        return { environment: { TEST_DATABASE_POOLER: `${mode}@${host}` }, stop }
      },
    }),
  ),
  {
    name: 'school-keys',
    about: 'one server of each kind: every statement and every key of a request begins with the school',
    files: suites.ofRequests,
    start: recordRequestUse,
  },
]
