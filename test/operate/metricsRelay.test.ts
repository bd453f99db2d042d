import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { MetricsSnapshot } from '../../src/base/http/metrics.ts'
import type { MetricsRequest } from '../../src/operate/metrics/metricsMessages.ts'
import { relayMetrics } from '../../src/operate/metrics/metricsRelay.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const counted = (value: number): MetricsSnapshot =>
  [{ name: 'requests_total', help: '', type: 'counter', aggregator: 'sum', values: [{ labels: {}, value }] }] as unknown as MetricsSnapshot

const sumOf = (snapshots: MetricsSnapshot[]): number =>
  snapshots.flatMap((one) => one.flatMap(({ values }) => values)).reduce((sum, { value }) => sum + value, 0)

/** A cluster of two workers. A busy worker does not report. */
function createCluster() {
  const cluster = Object.assign(new EventEmitter(), { workers: {} as Record<number, object> })
  const answers: number[] = []
  const workers = [1, 2].map((id) => {
    const worker = {
      id,
      value: 0,
      isBusy: false,
      isConnected: () => true,
      send(message: MetricsRequest | { about: 'all metrics'; snapshots: MetricsSnapshot[] }) {
        if (message.about === 'all metrics') answers.push(sumOf(message.snapshots))
        else if (!worker.isBusy)
          cluster.emit('message', worker, { about: 'own metrics', collection: message.collection, snapshot: counted(worker.value) })
      },
    }
    cluster.workers[id] = worker
    return worker
  })
  relayMetrics(cluster as never)
  const scrape = async (): Promise<number | undefined> => {
    cluster.emit('message', workers[0], { about: 'all metrics', id: 1 })
    await vi.advanceTimersByTimeAsync(10_000)
    return answers.at(-1)
  }
  return { cluster, workers, scrape }
}

test('a worker that is too busy to report counts with its latest report, and one that ended with its last', async () => {
  const { cluster, workers, scrape } = createCluster()
  const [first, second] = workers as [(typeof workers)[0], (typeof workers)[0]]
  first.value = 20
  second.value = 10
  expect(await scrape()).toBe(30)
  second.isBusy = true
  first.value = 21
  expect(await scrape()).toBe(31)
  delete cluster.workers[2]
  cluster.emit('exit', second)
  expect(await scrape()).toBe(31)
})
