import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../src/base/ids.ts'
import { createRateLimits, type RateLimitPolicy } from '../../src/database/redis/rateLimits.ts'
import { createRedis, type RedisConnection } from '../../src/database/redis/redis.ts'
import { availableServices, throwawayRedis } from '../support/databases.ts'
import { hasOwnServers, ownRedis } from '../support/ownServers.ts'
import { until } from '../support/poll.ts'
import { freePort } from '../support/process.ts'
import { openTcpProxy } from '../support/tcpProxy.ts'

const policy: RateLimitPolicy = { name: 'sign_in', requests: 3, windowSeconds: 60 }

const { redis } = await availableServices()
const canStartServers = await hasOwnServers()

for (const where of ['memory', ...(redis ? ['Redis'] : [])]) {
  describe(`rate limits in ${where}`, () => {
    let connection: RedisConnection | undefined
    let prefix = 'test'
    let drop = async () => {}
    beforeAll(async () => {
      if (where === 'memory') return
      const throwaway = await throwawayRedis()
      prefix = throwaway.prefix
      connection = createRedis(throwaway.url, { onError: () => {} })
      await connection.connect()
      drop = throwaway.drop
    })
    afterAll(async () => {
      await connection?.close()
      await drop()
    })
    const open = () => createRateLimits({ prefix, ...(connection && { redis: connection.client }) })

    test('allows as many as the policy says, then rejects and says when to retry', async () => {
      const limits = open()
      const answers = []
      for (let attempt = 0; attempt < 5; attempt += 1) answers.push(await limits.consume(policy, 'a'))
      expect(answers.map(({ allowed, remaining }) => [allowed, remaining])).toEqual([
        [true, 2],
        [true, 1],
        [true, 0],
        [false, 0],
        [false, 0],
      ])
      for (const { resetSeconds } of answers) {
        expect(resetSeconds).toBeGreaterThan(50)
        expect(resetSeconds).toBeLessThanOrEqual(60)
      }
    })

    test('allows no more under concurrency', async () => {
      const limits = open()
      const answers = await Promise.all(Array.from({ length: 30 }, () => limits.consume(policy, 'race')))
      expect(answers.filter(({ allowed }) => allowed)).toHaveLength(3)
    })

    test('keys and policies do not touch each other, whatever a key holds', async () => {
      const limits = open()
      const keys = ['b', 'b:1', '', 'ü\n{x}', 'x'.repeat(100_000)]
      for (const key of keys) expect((await limits.consume(policy, key)).remaining).toBe(2)
      expect((await limits.consume({ ...policy, name: 'token' }, 'b')).remaining).toBe(2)
    })

    test('counts points, gives them back and forgets', async () => {
      const limits = open()
      expect((await limits.consume(policy, 'c', 3)).remaining).toBe(0)
      expect((await limits.consume(policy, 'c')).allowed).toBe(false)
      await limits.reward(policy, 'c', 2)
      expect((await limits.consume(policy, 'c')).allowed).toBe(true)
      await limits.reset(policy, 'c')
      expect((await limits.consume(policy, 'c')).remaining).toBe(2)
    })

    test('starts again when the window has passed', async () => {
      const limits = open()
      const short = { name: 'short', requests: 1, windowSeconds: 1 }
      expect((await limits.consume(short, 'd')).allowed).toBe(true)
      expect((await limits.consume(short, 'd')).allowed).toBe(false)
      await until(async () => (await limits.consume(short, 'd')).allowed, { what: 'a new window' })
    })

    test('refuses a policy that would never limit or never end', async () => {
      const limits = open()
      await expect(limits.consume({ ...policy, requests: 0 }, 'e')).rejects.toThrow('requests')
      await expect(limits.consume({ ...policy, windowSeconds: 0 }, 'e')).rejects.toThrow('window')
      await expect(limits.consume({ ...policy, windowSeconds: 3_000_000 }, 'e')).rejects.toThrow('window')
    })
  })
}

describe('rate limits', () => {
  const cleanups: (() => unknown)[] = []
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0)) await cleanup()
  })

  test('invented keys cannot fill the memory: the least recently used are dropped', async () => {
    const limits = createRateLimits({ prefix: 'test', keysInMemory: 10 })
    for (let attempt = 0; attempt < 4; attempt += 1) await limits.consume(policy, 'old')
    for (let key = 0; key < 9; key += 1) await limits.consume(policy, String(key))
    expect((await limits.consume(policy, 'old')).allowed).toBe(false)
    for (let key = 0; key < 10; key += 1) await limits.consume(policy, `more ${key}`)
    expect((await limits.consume(policy, 'old')).remaining).toBe(2)
  })

  test('a silent Redis rejects no request, delays hardly any, is logged once, and the limit still holds in this process', async () => {
    const sockets: Socket[] = []
    const server = createServer((socket) => sockets.push(socket.on('error', () => {}))).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const redis = createRedis(`redis://127.0.0.1:${(server.address() as AddressInfo).port}`, { onError: () => {} })
    cleanups.push(async () => {
      await redis.close()
      for (const socket of sockets) socket.destroy()
      server.close()
    })
    const errors: Error[] = []
    const limits = createRateLimits({ prefix: 'test', redis: redis.client, onError: (error) => errors.push(error) })
    const started = performance.now()
    const answers = []
    for (let attempt = 0; attempt < 5; attempt += 1) answers.push((await limits.consume(policy, 'a')).allowed)
    expect(answers).toEqual([true, true, true, false, false])
    // Without a circuit breaker each of the five would wait two seconds for Redis.
    expect(performance.now() - started).toBeLessThan(8000)
    expect(errors).toHaveLength(1)
    await limits.reset(policy, 'a')
    expect((await limits.consume(policy, 'a')).allowed).toBe(true)
  })

  test.runIf(canStartServers)('requests that this process counted are not counted in Redis again when it is reachable', async () => {
    const { url, stop } = await ownRedis()
    const { hostname, port } = new URL(url)
    const ownPort = await freePort()
    const waiting = createRedis(`redis://127.0.0.1:${ownPort}`, { onError: () => {} })
    const direct = createRedis(url, { onError: () => {} })
    cleanups.push(async () => {
      for (const connection of [waiting, direct]) await connection.close()
      await stop()
    })
    const gate = Promise.withResolvers<boolean>()
    const proxy = await openTcpProxy(ownPort, { host: hostname, port: Number(port) }, { mayPass: () => gate.promise })
    cleanups.push(proxy.close)
    const connected = waiting.connect()
    await until(() => waiting.client.status === 'connect', { what: 'a connection without a response' })
    const prefix = newId()
    expect((await createRateLimits({ prefix, redis: waiting.client }).consume(policy, 'late')).remaining).toBe(2)
    gate.resolve(true)
    await connected
    await waiting.client.ping()
    await direct.connect()
    expect((await createRateLimits({ prefix, redis: direct.client }).peek(policy, 'late')).remaining).toBe(3)
  })
})
