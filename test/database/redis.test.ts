import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createRedis, redisFailure } from '../../src/database/redis/redis.ts'
import type { Artifact } from '../../src/identity/tokens/artifacts.ts'
import { redisArtifacts } from '../../src/identity/tokens/redisArtifacts.ts'
import { availableServices, redisUrl, throwawayRedis } from '../support/databases.ts'
import { until } from '../support/poll.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

/** A test server; every socket is passed to `answer`. */
async function listen(answer: (socket: Socket) => void): Promise<{ port: number; server: Server }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    answer(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, server }
}

async function portOfNothing(): Promise<number> {
  const { port, server } = await listen(() => {})
  server.close()
  await once(server, 'close')
  return port
}

/** Speaks just enough of the protocol to be taken for Redis, and falls silent at the first command of a store. */
const mute = (socket: Socket) =>
  socket.on('data', (chunk) => {
    for (const command of chunk.toString().split(/(?=\*\d+\r\n)/)) {
      if (/\r\nhello\r\n/i.test(command)) socket.write('%1\r\n+proto\r\n:3\r\n')
      else if (/\r\ninfo\r\n/i.test(command)) socket.write('$9\r\nloading:0\r\n')
      else if (/\r\n(client|select|sg:readiness)\r\n/i.test(command)) socket.write('+OK\r\n')
    }
  })

function open(url: string) {
  const errors: Error[] = []
  const connection = createRedis(url, { onError: (error) => errors.push(error) })
  cleanups.push(() => connection.close())
  return { connection, errors }
}

const artifact: Artifact = {
  schoolId: '019a0000-0000-7000-8000-000000000001',
  model: 'AccessToken',
  id: 'hash',
  payload: '{"quoted":"payload"}',
  expiresInSeconds: 60,
  grantId: 'grant',
  grantTag: 'grant-tag',
  accountId: 'account',
  uid: 'uid',
}

/** Every call of the store, each with how it ended and when. */
async function askEverything(url: string, connected: boolean) {
  const { connection } = open(url)
  if (connected) await connection.connect()
  const store = redisArtifacts(connection.client, { longestTokenSeconds: 3600 })
  const ended = { schoolId: artifact.schoolId, grantId: 'grant', grantTag: 'grant-tag', clientId: 'client', clientTag: 'client-tag' }
  const started = performance.now()
  const outcomes = await Promise.allSettled([
    store.find(artifact),
    store.findByUid(artifact.schoolId, artifact.model, 'uid'),
    store.save(artifact),
    store.saveOnce(artifact),
    store.consume(artifact),
    store.destroy(artifact),
    store.endGrant(ended),
    store.endClient(ended),
    store.restoreClient(ended),
    store.destroyOfAccount(artifact.schoolId, artifact.model, 'account'),
  ])
  return { outcomes, milliseconds: performance.now() - started }
}

/** Three seconds, with an allowance for a machine under load. */
const timeoutMs = 12_000

describe('a Redis that is not there', () => {
  test('every call fails within 3 s where nothing listens, and none hangs', async () => {
    const { outcomes, milliseconds } = await askEverything(`redis://127.0.0.1:${await portOfNothing()}`, false)
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['rejected']))
    expect(milliseconds).toBeLessThan(timeoutMs)
  })

  test('every call fails within 3 s where something accepts and never answers', async () => {
    const { port } = await listen(() => {})
    const { outcomes, milliseconds } = await askEverything(`redis://127.0.0.1:${port}`, false)
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['rejected']))
    expect(milliseconds).toBeLessThan(timeoutMs)
  })

  test('every call fails within 3 s where Redis falls silent after it was connected', async () => {
    const { port } = await listen(mute)
    const { outcomes, milliseconds } = await askEverything(`redis://127.0.0.1:${port}`, true)
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['rejected']))
    expect(milliseconds).toBeLessThan(timeoutMs)
  })

  test('every call fails within 3 s for a cluster and for sentinels that do not answer', async () => {
    const { port } = await listen(() => {})
    for (const url of [`redis+cluster://127.0.0.1:${port}`, `redis+sentinel://127.0.0.1:${port}?master=main`]) {
      const { outcomes, milliseconds } = await askEverything(url, false)
      expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['rejected']))
      expect(milliseconds).toBeLessThan(timeoutMs)
    }
  })

  test('a connection that falls silent is replaced', async () => {
    let connections = 0
    const { port } = await listen((socket) => {
      connections += 1
      mute(socket)
    })
    const { connection, errors } = open(`redis://127.0.0.1:${port}`)
    await connection.connect()
    await expect(connection.client.get('key')).rejects.toThrow('Command timed out')
    await until(() => connections === 2 && connection.figures().isReady, { what: 'another connection' })
    await connection.ping()
    expect(errors.map(({ message }) => message)).toEqual(['Redis: no response within 2000 ms'])
  })

  test('a command that was cut off is never sent again', async () => {
    const seen: string[] = []
    const { port } = await listen((socket) => {
      mute(socket)
      socket.on('data', (chunk) => {
        if (!/consumed-once/.test(chunk.toString())) return
        seen.push(chunk.toString())
        socket.destroy()
      })
    })
    const { connection } = open(`redis://127.0.0.1:${port}`)
    await connection.connect()
    await expect(connection.client.set('consumed-once', '1')).rejects.toThrow()
    await until(() => connection.client.status === 'ready', { what: 'a new connection' })
    await connection.ping()
    expect(seen).toHaveLength(1)
  })

  test('connecting gives up at the deadline, says why, and never quotes the password', async () => {
    const refused = open(`redis://:Sesame9Street@127.0.0.1:${await portOfNothing()}`)
    await expect(refused.connection.connect(0.3)).rejects.toThrow(/^Redis cannot be reached: .*ECONNREFUSED/)
    const { port } = await listen(() => {})
    const silent = open(`redis://:Sesame9Street@127.0.0.1:${port}`)
    const started = performance.now()
    await expect(silent.connection.connect(0.3)).rejects.toThrow('within 300 ms')
    expect(performance.now() - started).toBeLessThan(timeoutMs)
    await expect(silent.connection.ping()).rejects.toThrow()
  })

  test('connecting waits for a Redis that comes up before the deadline', async () => {
    const port = await portOfNothing()
    const { connection, errors } = open(`redis://127.0.0.1:${port}`)
    const connected = connection.connect(5)
    await until(() => errors.length > 0, { what: 'a first rejected login' })
    const server = createServer(mute).listen(port, '127.0.0.1')
    cleanups.push(() => server.close())
    await connected
    await connection.ping()
  })

  test('a rejected login logs the reason without the command that contains the password', async () => {
    const { port } = await listen((socket) =>
      socket.on('data', (chunk) => {
        for (const _ of chunk.toString().matchAll(/\*\d+\r\n/g)) socket.write('-WRONGPASS invalid username-password pair\r\n')
      }),
    )
    const { connection, errors } = open(`redis://ann:Sesame9Street@127.0.0.1:${port}`)
    const failure: unknown = await connection.connect(0.3).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(Error)
    expect(String(failure)).toContain('WRONGPASS')
    for (const error of [failure as Error, ...errors]) {
      expect(JSON.stringify({ ...error, message: error.message, stack: error.stack, cause: error.cause })).not.toContain('Sesame9Street')
    }
  })

  test('an error carries neither the arguments that the server repeats nor those that the client remembers', () => {
    const original = Object.assign(new Error("ERR unknown command 'HELLO', with args beginning with: '3' 'AUTH' 'Sesame9Street'"), {
      command: { name: 'hello', args: ['Sesame9Street'] },
    })
    const failure = redisFailure(original)
    expect(failure.message).toBe("Redis: ERR unknown command 'HELLO'")
    expect(Object.keys(failure)).toEqual([])
  })
})

if ((await availableServices()).redis) {
  test('a process that was paused for longer than a command may take reads the answers that came meanwhile', async () => {
    const { connection, errors } = open(redisUrl)
    await connection.connect()
    const answer = connection.client.set('sg:paused', 'answered', 'EX', 60, 'GET')
    // As a machine without a free core does, or a long collection of garbage.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3300)
    await expect(answer).resolves.toBeDefined()
    expect(errors).toEqual([])
    await connection.client.del('sg:paused')
  })

  describe('artefacts in Redis only', () => {
    const openStore = async () => {
      const { url, prefix, drop } = await throwawayRedis()
      const { connection } = open(url)
      cleanups.push(drop)
      await connection.connect()
      return { prefix, redis: connection.client, store: redisArtifacts(connection.client, { longestTokenSeconds: 100, prefix }) }
    }

    test('refuses to save what could not be revoked: without a tag, or longer than the end markers', async () => {
      const { store } = await openStore()
      const { grantTag: _, ...untagged } = artifact
      await expect(store.save(untagged)).rejects.toThrow('without its tag')
      await expect(store.saveOnce({ ...untagged, grantTag: '' })).rejects.toThrow('without its tag')
      await expect(store.save({ ...artifact, clientId: 'client' })).rejects.toThrow('without its tag')
      await expect(store.save({ ...artifact, expiresInSeconds: 101 })).rejects.toThrow('101 s')
      expect(await store.find(artifact)).toBeUndefined()
      await store.save({ ...artifact, expiresInSeconds: 100 })
      expect(await store.find(artifact)).toBeDefined()
    })

    test('every key has an expiry, and end markers outlive whatever a request under way may still save', async () => {
      const { store, redis, prefix } = await openStore()
      const ended = { schoolId: artifact.schoolId, grantId: 'grant', grantTag: 'grant-tag', clientId: 'client', clientTag: 'client-tag' }
      await store.save(artifact)
      await store.consume(artifact)
      await store.save({ ...artifact, expiresInSeconds: 90 })
      await store.saveOnce({ ...artifact, id: 'other' })
      await store.save({ ...artifact, grantId: '', model: 'Session' })
      await store.endGrant(ended)
      await store.endClient(ended)
      await store.restoreClient(ended)
      const keys = await redis.keys(`${prefix}*`)
      expect(keys).toHaveLength(9)
      for (const key of keys) expect(await redis.ttl(key), key).toBeGreaterThan(key.includes('ended') ? 100 : 50)
    })

    test('the index of an account forgets sessions that have expired', async () => {
      const { store, redis, prefix } = await openStore()
      const session = { ...artifact, grantId: '', model: 'Session' }
      await store.save({ ...session, id: 'short', expiresInSeconds: 0.05 })
      await until(async () => (await store.find({ ...session, id: 'short' })) === undefined, { what: 'the expiry of the first session' })
      await store.save({ ...session, id: 'long' })
      expect(await redis.zrange(`${prefix}sg:{${artifact.schoolId}}:account:Session:account`, '0', '-1')).toEqual(['long'])
    })

    test('a Redis that has lost its scripts gets them again', async () => {
      const { store, redis } = await openStore()
      await store.save(artifact)
      await redis.script('FLUSH')
      expect(await store.consume(artifact)).toBe(true)
      await redis.script('FLUSH')
      expect(await store.consume(artifact)).toBe(false)
    })
  })
}

const services = await availableServices()

describe.runIf(services.redis)('a client that was ended and restored in Redis', () => {
  test('hides what was saved in the same millisecond as its restoration, and shows what is saved later', async () => {
    const { url, prefix, drop } = await throwawayRedis()
    const { connection } = open(url)
    cleanups.push(drop)
    await connection.connect()
    const store = redisArtifacts(connection.client, { longestTokenSeconds: 3600, prefix })
    const ended = { schoolId: artifact.schoolId, clientId: 'client', clientTag: 'client-tag' }
    const owned = (id: string): Artifact => ({ ...artifact, id, clientId: 'client', clientTag: 'client-tag' })
    const at = Date.now()
    const clock = vi.spyOn(Date, 'now').mockReturnValue(at)
    cleanups.push(() => clock.mockRestore())
    await store.save(owned('at-restoration'))
    await store.endClient(ended)
    const restored = store.restoreClient(ended)
    clock.mockReturnValue(at + 1)
    await restored
    expect(await store.find(owned('at-restoration'))).toBeUndefined()
    await store.save(owned('after'))
    expect(await store.find(owned('after'))).toBeDefined()
  })
})
