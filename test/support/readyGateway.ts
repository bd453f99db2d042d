import { startNginx } from './nginx.ts'
import { freePort } from './process.ts'
import { openTcpProxy, type TcpProxy } from './tcpProxy.ts'

interface ReadyProcess {
  port: number
  /** Address of the private port. */
  admin: string
}

export interface ReadyGateway {
  /** How often a process was taken out because it was not ready. */
  removals(): number
  stop(): Promise<void>
}

/** As the readiness probe of deploy/kubernetes, but more often. */
const [intervalMs, maxFailures] = [300, 2]

/** Runs nginx before two processes. It reaches a process only while the process is ready, as the endpoints of Kubernetes do. */
export async function startReadyGateway(port: number, processes: readonly ReadyProcess[]): Promise<ReadyGateway> {
  let [removals, isStopped] = [0, false]
  const entrances = await Promise.all(
    processes.map(async (process) => {
      const entrance = await freePort()
      const target = { host: '127.0.0.1', port: process.port }
      let proxy: TcpProxy | undefined = await openTcpProxy(entrance, target)
      let failures = 0
      const watch = async (): Promise<void> => {
        while (!isStopped) {
          const isReady = await fetch(`${process.admin}/readyz`, { signal: AbortSignal.timeout(5000) }).then(
            ({ ok }) => ok,
            () => false,
          )
          failures = isReady ? 0 : failures + 1
          if (isReady) proxy ??= await openTcpProxy(entrance, target)
          else if (failures >= maxFailures && proxy) {
            removals += 1
            await proxy.close()
            proxy = undefined
          }
          await new Promise((next) => setTimeout(next, intervalMs))
        }
        await proxy?.close()
      }
      return { entrance, watching: watch() }
    }),
  )
  const nginx = await startNginx({ port, plainPort: await freePort(), upstreams: entrances.map(({ entrance }) => entrance) })
  return {
    removals: () => removals,
    async stop() {
      await nginx.stop()
      isStopped = true
      await Promise.all(entrances.map(({ watching }) => watching))
    },
  }
}
