import { performance } from 'node:perf_hooks'
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Log } from '../log/log.ts'
import { type CounterName, type GaugeName, type LabelsOf, type MetricKind, metricTable, outcomeOf, outcomes } from './metricTable.ts'

/** Sets a value of a gauge. Values that are not set again in a later collection disappear. */
export type SetGauge = <Name extends GaugeName>(name: Name, labels: LabelsOf<Name>, value: number) => void

export interface Metrics {
  observe(request: { path: string; operation: string; status: number; seconds: number }): void
  add<Name extends CounterName>(name: Name, labels: LabelsOf<Name>, amount?: number): void
  /** Creates series with the value zero, so that their first increase is an increase. */
  begin<Name extends CounterName>(name: Name, labels: readonly LabelsOf<Name>[]): void
  addBlock(operation: string): void
  /** Creates the series of operations. Requests to operations without series count as `other`. */
  beginOperations(operations: Iterable<string>): void
  /** Asks for values of gauges at each collection. If that fails, the former values stay. */
  collect(source: (set: SetGauge) => void | Promise<void>): void
  snapshot(): Promise<MetricsSnapshot>
  render(): Promise<RenderedMetrics>
}

export type MetricsSnapshot = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

const areas: readonly [area: string, prefix: string][] = [
  ['oauth', '/api/oauth'],
  ['api', '/api/v1'],
  ['mcp', '/mcp'],
  ['pages', '/oauth'],
  ['pages', '/account'],
  ['files', '/files'],
  ['well_known', '/.well-known'],
]

export interface RenderedMetrics {
  type: string
  text: string
}

const otherOperation = 'other'

/** Creates the metrics of one process: those of `metricTable`, and prom-client's own about the process. */
export function createMetrics({ version, log }: { version: string; log: Pick<Log, 'warn'> }): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const counters = new Map<string, Counter>()
  const gauges = new Map<string, Gauge>()
  const seconds = new Map<string, ReturnType<Histogram['labels']>>()
  for (const [name, kind] of Object.entries<MetricKind>(metricTable)) {
    const settings = { name, help: kind.help, labelNames: [...kind.labels], registers: [registry] }
    if (kind.type === 'counter') counters.set(name, new Counter(settings))
    else if (kind.type === 'gauge') gauges.set(name, new Gauge({ ...settings, aggregator: kind.across ?? 'sum' }))
    else {
      const histogram = new Histogram({ ...settings, buckets: [...(kind.buckets ?? [])] })
      for (const area of new Set([...areas.map(([area]) => area), otherOperation])) {
        histogram.zero({ area })
        seconds.set(area, histogram.labels({ area }))
      }
    }
  }
  const counter = (name: CounterName): Counter => {
    const found = counters.get(name)
    if (!found) throw new Error(`${name} is not a counter of the table`)
    return found
  }
  const blocks = new Map<string, ReturnType<Counter['labels']>>()
  const series = new Map<string, { count: ReturnType<Counter['labels']>; time: ReturnType<Counter['labels']> }>()
  const sources: ((set: SetGauge) => void | Promise<void>)[] = []

  const beginOperations = (operations: Iterable<string>): void => {
    for (const operation of operations) {
      const time = counter('schoolgate_operation_seconds_total').labels({ operation })
      time.inc(0)
      const block = counter('schoolgate_event_loop_blocks_total').labels({ operation })
      block.inc(0)
      blocks.set(operation, block)
      for (const outcome of outcomes) {
        const count = counter('schoolgate_requests_total').labels({ operation, outcome })
        count.inc(0)
        series.set(`${outcome} ${operation}`, { count, time })
      }
    }
  }
  beginOperations([otherOperation])

  async function runSource(source: (typeof sources)[number]): Promise<void> {
    const values: [GaugeName, Record<string, string>, number][] = []
    try {
      await source((name, labels, value) => values.push([name, labels, value]))
    } catch (error) {
      log.warn({ err: error }, 'metrics not collected')
      return
    }
    for (const name of new Set(values.map(([name]) => name))) gauges.get(name)?.reset()
    for (const [name, labels, value] of values) gauges.get(name)?.set(labels, value)
  }

  const runSources = (): Promise<unknown> => Promise.all(sources.map(runSource))

  let lastLoop = performance.eventLoopUtilization()
  sources.push((set) => {
    const loop = performance.eventLoopUtilization()
    set('schoolgate_event_loop_utilization', {}, performance.eventLoopUtilization(loop, lastLoop).utilization)
    lastLoop = loop
    set('schoolgate_build_info', { version }, 1)
    set('schoolgate_workers', {}, 1)
  })

  return {
    observe({ path, operation, status, seconds: duration }) {
      const area = areas.find(([, prefix]) => path.startsWith(prefix))?.[0] ?? otherOperation
      seconds.get(area)?.observe(duration)
      const outcome = outcomeOf(status)
      const found = series.get(`${outcome} ${operation}`) ?? series.get(`${outcome} ${otherOperation}`)
      found?.count.inc()
      found?.time.inc(duration)
    },
    addBlock: (operation) => (blocks.get(operation) ?? blocks.get(otherOperation))?.inc(),
    add: (name, labels, amount = 1) => counter(name).inc(labels, amount),
    begin(name, labels) {
      for (const one of labels) counter(name).inc(one, 0)
    },
    beginOperations,
    collect: (source) => void sources.push(source),
    async snapshot() {
      await runSources()
      return await registry.getMetricsAsJSON()
    },
    async render() {
      await runSources()
      return { type: registry.contentType, text: await registry.metrics() }
    },
  }
}

/** Renders the metrics of a process that starts: it is not ready, which an alert must see when the start waits for a store. */
export async function renderStarting(): Promise<RenderedMetrics> {
  const registry = new Registry()
  new Gauge({ name: 'schoolgate_ready', help: metricTable.schoolgate_ready.help, registers: [registry] }).set(0)
  return { type: registry.contentType, text: await registry.metrics() }
}

export async function renderTogether(snapshots: MetricsSnapshot[]): Promise<RenderedMetrics> {
  const registry = AggregatorRegistry.aggregate(snapshots)
  return { type: registry.contentType, text: await registry.metrics() }
}
