import type { Command } from 'ioredis'
import type { RedisClient } from './redis.ts'

/** Calls the listener when a command has been answered or has failed, in the context of the code that waits for it. */
export function onRedisReply(client: RedisClient, listener: () => void): void {
  const send = client.sendCommand.bind(client) as (command: Command, ...rest: unknown[]) => unknown
  const sendWatched = (command: Command, ...rest: unknown[]): unknown => {
    const sent = send(command, ...rest)
    command.promise.then(listener, listener)
    return sent
  }
  Object.assign(client, { sendCommand: sendWatched })
}
