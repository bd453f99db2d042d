import type { Worker } from 'node:cluster'
import { type Metrics, type RenderedMetrics, renderStarting, renderTogether } from '../../base/http/metrics.ts'
import { isAbout, type MetricsQuestion, type MetricsReply, type MetricsReport, type MetricsRequest } from './metricsMessages.ts'

/** How long the supervisor may take. */
const timeoutMs = 4000

/**
 * Returns the function that renders the metrics of the service: of this process, or, if it is one of several workers, of all of them.
 * If the supervisor does not respond, the values are those of this process. `metrics` returns undefined while this process starts.
 */
export function createRenderAll(
  metrics: () => Pick<Metrics, 'snapshot' | 'render'> | undefined,
  worker: Worker | undefined,
): () => Promise<RenderedMetrics> {
  const renderOwn = (): Promise<RenderedMetrics> => metrics()?.render() ?? renderStarting()
  if (!worker) return renderOwn
  const waiting = new Map<number, (answer: MetricsReply['snapshots'] | undefined) => void>()
  let count = 0
  worker.on('message', (message: unknown) => {
    if (isAbout<MetricsRequest>(message, 'own metrics')) {
      const { collection } = message
      void Promise.resolve(metrics()?.snapshot()).then((snapshot = []) => {
        if (worker.isConnected()) worker.send({ about: 'own metrics', collection, snapshot } satisfies MetricsReport)
      })
    } else if (isAbout<MetricsReply>(message, 'all metrics')) {
      waiting.get(message.id)?.(message.snapshots)
      waiting.delete(message.id)
    }
  })
  return async () => {
    count += 1
    const id = count
    const { promise, resolve } = Promise.withResolvers<MetricsReply['snapshots'] | undefined>()
    waiting.set(id, resolve)
    const timer = setTimeout(resolve, timeoutMs, undefined)
    worker.send({ about: 'all metrics', id } satisfies MetricsQuestion)
    const snapshots = await promise
    clearTimeout(timer)
    waiting.delete(id)
    return snapshots && snapshots.length > 0 ? await renderTogether(snapshots) : await renderOwn()
  }
}
