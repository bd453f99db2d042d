import type { Cluster, Worker } from 'node:cluster'
import type { MetricsSnapshot } from '../../base/http/metrics.ts'
import { isAbout, type MetricsQuestion, type MetricsReply, type MetricsReport, type MetricsRequest } from './metricsMessages.ts'

/** How long a worker may take to report its values. */
const timeoutMs = 2000

interface Collection {
  snapshots: MetricsSnapshot[]
  missing: Set<number>
  finish(): void
}

/**
 * Passes the metrics of all workers to the worker that asks for them. The counters of workers that have ended are kept, and a worker that is
 * too busy to report counts with its latest report: no sum ever decreases.
 */
export function relayMetrics(cluster: Pick<Cluster, 'on' | 'workers'>): void {
  const collections = new Map<number, Collection>()
  const latest = new Map<number, MetricsSnapshot>()
  let ended: MetricsSnapshot = []
  let count = 0

  const collect = (requester: Worker, id: number): void => {
    count += 1
    const collection = count
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker?.isConnected())
    const timer = setTimeout(() => collections.get(collection)?.finish(), timeoutMs)
    const current: Collection = {
      snapshots: [],
      missing: new Set(workers.flatMap((worker) => (worker ? [worker.id] : []))),
      finish() {
        clearTimeout(timer)
        collections.delete(collection)
        const late = [...current.missing].map((worker) => latest.get(worker) ?? [])
        const snapshots = [...current.snapshots, ...late, ended].filter(({ length }) => length > 0)
        if (requester.isConnected()) requester.send({ about: 'all metrics', id, snapshots } satisfies MetricsReply)
      },
    }
    collections.set(collection, current)
    for (const worker of workers) worker?.send({ about: 'own metrics', collection } satisfies MetricsRequest)
  }

  cluster.on('message', (worker, message: unknown) => {
    if (isAbout<MetricsQuestion>(message, 'all metrics')) collect(worker, message.id)
    else if (isAbout<MetricsReport>(message, 'own metrics')) {
      latest.set(worker.id, message.snapshot)
      const current = collections.get(message.collection)
      if (!current?.missing.delete(worker.id)) return
      current.snapshots.push(message.snapshot)
      if (current.missing.size === 0) current.finish()
    }
  })
  cluster.on('exit', (worker) => {
    ended = withCounters(ended, latest.get(worker.id) ?? [])
    latest.delete(worker.id)
    for (const current of collections.values()) {
      if (current.missing.delete(worker.id) && current.missing.size === 0) current.finish()
    }
  })
}

/** Returns a snapshot with the counters and histograms of both. */
function withCounters(kept: MetricsSnapshot, added: MetricsSnapshot): MetricsSnapshot {
  const metrics = new Map(kept.map((metric) => [metric.name, metric]))
  for (const metric of added) {
    // The types of prom-client name the kind of a metric by a number; the values are texts.
    if (!['counter', 'histogram'].includes(String(metric.type))) continue
    const before = metrics.get(metric.name)
    const sums = new Map(before?.values.map((one) => [seriesOf(one), one]))
    for (const one of metric.values) {
      const key = seriesOf(one)
      sums.set(key, { ...one, value: one.value + (sums.get(key)?.value ?? 0) })
    }
    metrics.set(metric.name, { ...metric, values: [...sums.values()] })
  }
  return [...metrics.values()]
}

const seriesOf = (one: { labels: object; metricName?: string }): string => `${one.metricName ?? ''} ${JSON.stringify(one.labels)}`
