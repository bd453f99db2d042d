import cluster from 'node:cluster'
import type { Log } from '../lib/log.ts'

/** This process, as far as signals and its end go. */
export interface Self {
  on(signal: NodeJS.Signals, listener: () => void): unknown
  exit(code: number): void
}

const patienceMs = 1000

/**
 * Runs the service in several processes that share its ports. One that dies is replaced, at most once a second;
 * signals reach all of them, and the last one to end ends this process.
 */
export function supervise(workers: number, log: Log, self: Self): void {
  let isStopping = false
  for (let count = 0; count < workers; count += 1) cluster.fork()
  cluster.on('exit', (worker, code, signal) => {
    if (isStopping) {
      if (Object.keys(cluster.workers ?? {}).length === 0) self.exit(0)
      return
    }
    log.error({ worker: worker.id, code, signal }, 'a worker ended and is replaced')
    setTimeout(() => isStopping || cluster.fork(), patienceMs)
  })
  const tell = (signal: NodeJS.Signals): void => {
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill(signal)
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    self.on(signal, () => {
      isStopping = true
      tell(signal)
    })
  }
  self.on('SIGHUP', () => tell('SIGHUP'))
}
