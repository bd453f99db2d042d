import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export interface Metrics {
  /** Counts and times a request. */
  observe(request: { path: string; method: string; status: number; seconds: number }): void
  /** Counts one audited event of the authorization server. */
  count(event: string): void
  /** Reports the state of each school's self-check. */
  watchSelfCheck(states: () => Record<string, string>): void
  render(): Promise<{ type: string; text: string }>
}

const areas: readonly [area: string, prefix: string][] = [
  ['oauth', '/api/oauth'],
  ['api', '/api/v1'],
  ['mcp', '/mcp'],
  ['pages', '/oauth'],
  ['well_known', '/.well-known'],
]

/** Prometheus metrics of one process. Labels contain areas and outcomes, never a value from a request. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const duration = new Histogram({
    name: 'schoolgate_request_seconds',
    help: 'Time to answer a request',
    labelNames: ['area', 'method', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers: [registry],
  })
  const events = new Counter({
    name: 'schoolgate_events_total',
    help: 'Registrations, grants, refusals, revocations, replays',
    labelNames: ['event'],
    registers: [registry],
  })
  const series = new Map<string, ReturnType<typeof duration.labels>>()
  const seriesOf = (area: string, method: string, status: number): ReturnType<typeof duration.labels> => {
    const key = `${area} ${method} ${status}`
    let found = series.get(key)
    if (!found) {
      found = duration.labels({ area, method, status: String(status) })
      series.set(key, found)
    }
    return found
  }
  const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
  return {
    observe({ path, method, status, seconds }) {
      const area = areas.find(([, prefix]) => path.startsWith(prefix))?.[0] ?? 'other'
      seriesOf(area, methods.has(method) ? method : 'other', status).observe(seconds)
    },
    count: (event) => events.inc({ event }),
    watchSelfCheck(states) {
      new Gauge({
        name: 'schoolgate_self_check',
        help: 'State of the self-check of a school: 1 for the current state, 0 for the others',
        labelNames: ['school', 'state'],
        registers: [registry],
        collect() {
          this.reset()
          for (const [school, current] of Object.entries(states()))
            for (const state of ['pending', 'passed', 'failed', 'unknown']) this.set({ school, state }, state === current ? 1 : 0)
        },
      })
    },
    render: async () => ({ type: registry.contentType, text: await registry.metrics() }),
  }
}
