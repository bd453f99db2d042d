import { type Cluster, type Command, Redis } from 'ioredis'

type Send = (command: Command, ...rest: unknown[]) => unknown

/** Replaces how the client sends a command. */
export function overrideSend(client: Redis | Cluster, override: (send: Send) => Send): void {
  Object.assign(client, { sendCommand: override(client.sendCommand.bind(client) as Send) })
}

/**
 * Rejects a command that has no answer in time, and closes a connection on which not a byte came meanwhile: the peer is gone though the socket
 * looks open. A process that was paused for as long reads first what arrived: with the options of the client it would reject commands that
 * Redis has answered, because expired timers run before sockets are read.
 */
export function limitCommands(client: Redis | Cluster, milliseconds: number): void {
  overrideSend(client, (send) => (command, ...rest) => {
    const sent = send(command, ...rest)
    const stream = client instanceof Redis ? client.stream : undefined
    const bytesBefore = stream?.bytesRead
    let afterReading: NodeJS.Immediate | undefined
    const giveUp = (): void => {
      command.reject(new Error('Command timed out'))
      if (stream && stream.bytesRead === bytesBefore) stream.destroy(new Error('Command timed out'))
    }
    const timer = setTimeout(() => {
      afterReading = setImmediate(giveUp)
    }, milliseconds)
    const settled = (): void => {
      clearTimeout(timer)
      clearImmediate(afterReading)
    }
    command.promise.then(settled, settled)
    return sent
  })
}
