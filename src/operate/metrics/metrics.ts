import packageJson from '../../../package.json' with { type: 'json' }
import { createMetrics, type Metrics, type SetGauge } from '../../base/http/metrics.ts'
import { pathOperations } from '../../base/http/operationOf.ts'
import type { Log } from '../../base/log/log.ts'
import type { CacheFigures, Caches } from '../../base/process/caches.ts'
import type { Config } from '../../config/load.ts'
import type { Database } from '../../database/connection/database.ts'
import type { RedisConnection } from '../../database/redis/redis.ts'
import { type AuditEvent, auditEvents, isNamedEvent } from '../../database/tables/auditEvents.ts'
import type { Operation } from '../../engine/declare/operations.ts'
import { operationsAcrossTypes } from '../../engine/output/operationsAcrossTypes.ts'
import { documentPolicies } from '../../identity/oidc/clientDocuments.ts'
import { oauthOperations } from '../../identity/oidc/service.ts'

export interface ServiceMetricsArguments {
  config: Config
  database: Database
  caches: Caches
  redis?: RedisConnection | undefined
  operations: readonly Operation[]
  log: Log
}

/** Creates the metrics of the service with all their series. */
export function createServiceMetrics({ config, database, caches, redis, operations, log }: ServiceMetricsArguments): Metrics {
  const metrics = createMetrics({ version: packageJson.version, log })
  metrics.beginOperations([
    ...[...operations, ...operationsAcrossTypes(operations)].map(({ id }) => id),
    ...oauthOperations,
    ...pathOperations,
  ])
  metrics.begin(
    'schoolgate_rate_limit_rejections_total',
    [...Object.keys(config.server.rate_limits), ...documentPolicies].map((policy) => ({ policy })),
  )
  metrics.begin(
    'schoolgate_events_total',
    // The events of operators are written by the command line.
    Object.keys(auditEvents).flatMap((event) => (event.startsWith('operator.') ? [] : [{ event }])),
  )
  metrics.collect(databaseFigures(metrics, database))
  metrics.collect(redisFigures(metrics, redis))
  metrics.collect(cacheFigures(metrics, caches))
  return metrics
}

/** Counts an event of the audit trail. Writes through the API have series of their operations. */
export function countEvent(metrics: Pick<Metrics, 'add'>, event: AuditEvent): void {
  if (isNamedEvent(event)) metrics.add('schoolgate_events_total', { event })
}

function databaseFigures(metrics: Metrics, database: Database): (set: SetGauge) => Promise<void> {
  let counted = 0
  return async (set) => {
    const { pools, lostConnections } = database.figures()
    metrics.add('schoolgate_database_errors_total', {}, lostConnections - counted)
    counted = lostConnections
    for (const { pool, max, inUse, idle, waiting } of pools) {
      set('schoolgate_database_connections', { pool, state: 'in_use' }, inUse)
      set('schoolgate_database_connections', { pool, state: 'idle' }, idle)
      set('schoolgate_database_connections_max', { pool }, max)
      set('schoolgate_database_waiting', { pool }, waiting)
    }
    set('schoolgate_database_up', {}, await asNumber(database.ping()))
  }
}

function redisFigures(metrics: Metrics, redis: RedisConnection | undefined): (set: SetGauge) => Promise<void> {
  let counted = 0
  return async (set) => {
    const { isReady, errors } = redis?.figures() ?? { isReady: true, errors: 0 }
    metrics.add('schoolgate_redis_errors_total', {}, errors - counted)
    counted = errors
    const start = performance.now()
    const isUp = isReady && redis ? await asNumber(redis.client.ping()) : Number(isReady)
    set('schoolgate_redis_up', {}, isUp)
    set('schoolgate_redis_ping_seconds', {}, redis ? (performance.now() - start) / 1000 : 0)
  }
}

function cacheFigures(metrics: Metrics, caches: Caches): (set: SetGauge) => void {
  const counted = new Map<string, Pick<CacheFigures, 'hits' | 'misses'>>()
  return (set) => {
    for (const { cache, entries, hits, misses } of caches.figures()) {
      const before = counted.get(cache) ?? { hits: 0, misses: 0 }
      metrics.add('schoolgate_cache_hits_total', { cache }, hits - before.hits)
      metrics.add('schoolgate_cache_misses_total', { cache }, misses - before.misses)
      set('schoolgate_cache_entries', { cache }, entries)
      counted.set(cache, { hits, misses })
    }
  }
}

/** Returns 1 if the work succeeds, and 0 otherwise. */
const asNumber = (work: Promise<unknown>): Promise<number> =>
  work.then(
    () => 1,
    () => 0,
  )
