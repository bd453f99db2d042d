import { freePort } from '../../../test/support/process.ts'
import { createRedis } from '../servers/redisServer.ts'
import { type Failure, nothing, rejections } from './failure.ts'

/** Failures of Redis. */
export const redisFailures: Failure[] = [
  {
    name: 'Redis stopped',
    cause: 'SIGKILL to the server',
    undo: 'the server starts with its append-only file',
    allowed: rejections,
    holdMs: 8000,
    async run({ redis }) {
      await redis.kill()
      return () => redis.start()
    },
  },
  {
    name: 'Redis restarted',
    cause: 'SIGKILL to the server, which starts again immediately with its append-only file',
    undo: '–',
    allowed: rejections,
    holdMs: 1000,
    async run({ redis }) {
      await redis.kill()
      await redis.start()
      return async () => undefined
    },
  },
  {
    name: 'Redis frozen',
    cause: 'SIGSTOP to the server',
    undo: 'SIGCONT',
    allowed: rejections,
    holdMs: 8000,
    async run({ redis }) {
      redis.freeze()
      return async () => redis.thaw()
    },
  },
  {
    name: 'Redis full',
    cause: '`maxmemory 1` with `noeviction`',
    undo: '`maxmemory 0`',
    allowed: rejections,
    holdMs: 8000,
    async run({ redis }) {
      await redis.command('CONFIG', 'SET', 'maxmemory', '1')
      return () => redis.command('CONFIG', 'SET', 'maxmemory', '0')
    },
  },
  {
    name: 'Redis read-only',
    cause: 'the server becomes a replica of a server that does not exist',
    undo: '`REPLICAOF NO ONE`',
    allowed: rejections,
    holdMs: 8000,
    async run({ redis }) {
      await redis.command('REPLICAOF', '127.0.0.1', String(await freePort()))
      return () => redis.command('REPLICAOF', 'NO', 'ONE')
    },
  },
  {
    name: 'Redis slow',
    cause: 'a delay of 300 ms in both directions',
    undo: 'no delay',
    allowed: rejections,
    holdMs: 8000,
    async run({ gates }) {
      gates.redis.slow(300)
      return async () => gates.redis.restore()
    },
  },
  {
    name: 'Redis flushed',
    cause: '`FLUSHALL`',
    undo: '–',
    allowed: nothing,
    forgets: 'redis',
    holdMs: 3000,
    async run({ redis }) {
      await redis.command('FLUSHALL')
      return async () => undefined
    },
  },
  {
    name: 'fail-over to an empty Redis',
    cause: 'the address leads to another, empty server',
    undo: 'the other server stays, the former one ends',
    allowed: rejections,
    forgets: 'redis',
    holdMs: 3000,
    async run(installation) {
      const old = installation.redis
      installation.redis = await createRedis()
      installation.gates.redis.lead(installation.redis.port)
      return () => old.remove()
    },
  },
]
