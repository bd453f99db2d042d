import cluster from 'node:cluster'
import type { Log } from '../../base/log/log.ts'
import { relayMetrics } from '../metrics/metricsRelay.ts'
import { closeLostConnections } from './lostConnections.ts'
import type { SignalSource } from './stopSignals.ts'

/** The signals and the exit of this process. */
export interface Self extends SignalSource {
  exit(code: number): void
}

/** The message that a worker sends when it serves requests. */
export const readyMessage = 'ready'

const timeoutMs = 1000

/**
 * Runs the service in several processes that share its ports. The first one starts alone, so that errors in the configuration are
 * reported once and the migrations run once. A worker that ends is replaced, at most once a second. Signals are passed on to all
 * workers, and this process ends with the last of them.
 */
export function supervise(workers: number, self: Self, log: Log): void {
  let [isReady, isStopping] = [false, false]
  closeLostConnections(cluster)
  relayMetrics(cluster)
  // A message to a worker that has just been killed fails. Without a listener this process would end with it; `exit` follows.
  cluster.on('fork', (worker) => worker.on('error', () => undefined))
  cluster.fork()
  cluster.on('message', (_worker, message) => {
    if (message !== readyMessage || isReady) return
    isReady = true
    if (isStopping) return
    for (let count = 1; count < workers; count += 1) cluster.fork()
  })
  cluster.on('exit', (worker, code, signal) => {
    const isLast = Object.keys(cluster.workers ?? {}).length === 0
    if (isStopping) {
      if (isLast) self.exit(0)
    } else if (isReady) {
      log.error({ worker: worker.id, code, signal }, 'worker ended, starting a replacement')
      setTimeout(() => isStopping || cluster.fork(), timeoutMs)
    } else self.exit(code || 1)
  })
  const passOn = (signal: NodeJS.Signals): void => {
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill(signal)
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    self.on(signal, () => {
      isStopping = true
      passOn(signal)
    })
  }
  self.on('SIGHUP', () => passOn('SIGHUP'))
}
