import type { Cluster, Worker } from 'node:cluster'

/** A connection that this process accepted, as Node passes it on. */
interface Passed {
  close(): void
}

/**
 * Closes the connection that was on its way to a worker when the worker ended. The first process accepts all connections, which spreads them
 * evenly, and Node closes its copy of a connection only when the worker has confirmed it. A worker that is killed before leaves the
 * connection open for ever, without a response. Node passes on one connection at a time for each port of a worker.
 */
export function closeLostConnections(cluster: Pick<Cluster, 'on'>): void {
  const passed = new Map<Worker, Map<unknown, Passed>>()
  cluster.on('fork', (worker) => {
    const latest = new Map<unknown, Passed>()
    passed.set(worker, latest)
    worker.process.send = new Proxy(worker.process.send, {
      apply(send, self, args: unknown[]) {
        const [message, connection] = args
        if (isPassingOn(message) && isPassed(connection)) latest.set(message.key, connection)
        return Reflect.apply(send, self, args)
      },
    })
  })
  cluster.on('exit', (worker) => {
    // Closing one again that was confirmed does nothing.
    for (const connection of passed.get(worker)?.values() ?? []) connection.close()
    passed.delete(worker)
  })
}

/** True for the message of node:cluster that carries a connection; `key` is the port. */
const isPassingOn = (message: unknown): message is { act: 'newconn'; key: unknown } =>
  typeof message === 'object' && message !== null && 'act' in message && message.act === 'newconn' && 'key' in message

const isPassed = (value: unknown): value is Passed =>
  typeof value === 'object' && value !== null && 'close' in value && typeof value.close === 'function'
