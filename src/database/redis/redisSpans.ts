import type { Cluster, Redis } from 'ioredis'
import { inChildSpan, type Tracing } from '../../base/log/tracing.ts'
import { overrideSend } from './redisCommands.ts'

export function traceCommands(client: Redis | Cluster, tracing: Tracing): void {
  overrideSend(client, (send) => (command, ...rest) => {
    const sent = send(command, ...rest)
    if (tracing.current()?.isSampled) {
      const operation = command.name.toUpperCase()
      const attributes = { 'db.system.name': 'redis', 'db.operation.name': operation }
      const span = () => ({ name: operation, kind: 'client' as const, attributes })
      // The caller gets the rejection of the command itself.
      inChildSpan(tracing, span, async () => command.promise).catch(() => undefined)
    }
    return sent
  })
}
