import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AttemptLimits, createAttemptLimits } from '../../src/database/redis/attemptLimits.ts'
import type { RateLimitPolicy } from '../../src/database/redis/rateLimits.ts'
import { createRedis, type RedisConnection } from '../../src/database/redis/redis.ts'
import { availableServices, throwawayRedis } from '../support/databases.ts'
import { until } from '../support/poll.ts'

const policy: RateLimitPolicy = { name: 'sign_in', requests: 3, windowSeconds: 60 }
const begun = { state: 'begun' }
const busy = { state: 'busy' }

for (const where of ['memory', ...((await availableServices()).redis ? ['Redis'] : [])]) {
  describe(`attempt limits in ${where}`, () => {
    const connections: RedisConnection[] = []
    let limits: AttemptLimits
    /** As another process has it; in memory there is no other. */
    let elsewhere: AttemptLimits
    let drop = async (): Promise<void> => {}
    beforeAll(async () => {
      if (where === 'memory') {
        limits = createAttemptLimits({ prefix: 'test' })
        elsewhere = limits
        return
      }
      const { url, prefix, drop: remove } = await throwawayRedis()
      drop = remove
      for (let count = 0; count < 2; count += 1) {
        const connection = createRedis(url, { onError: () => {} })
        await connection.connect()
        connections.push(connection)
      }
      const [one, two] = connections as [RedisConnection, RedisConnection]
      limits = createAttemptLimits({ prefix, redis: one.client })
      elsewhere = createAttemptLimits({ prefix, redis: two.client })
    })
    afterAll(async () => {
      for (const connection of connections) await connection.close()
      await drop()
    })
    const fail = async (key: string): Promise<void> => {
      expect(await limits.begin(policy, key)).toEqual(begun)
      await limits.end(policy, key, 'counted')
    }

    test('failures use up the limit, and the error says when to retry', async () => {
      for (let count = 0; count < 3; count += 1) await fail('failures')
      for (const one of [limits, elsewhere]) {
        const refused = await one.begin(policy, 'failures')
        expect(refused).toEqual({ state: 'refused', resetSeconds: expect.any(Number) })
        if (refused.state === 'refused') expect(refused.resetSeconds).toBeGreaterThan(50)
      }
      expect(await limits.begin(policy, 'another key')).toEqual(begun)
    })

    test('an attempt that succeeds uses up nothing', async () => {
      for (let count = 0; count < 9; count += 1) {
        expect(await limits.begin(policy, 'success')).toEqual(begun)
        await elsewhere.end(policy, 'success', 'not counted')
      }
    })

    test('parallel attempts in two processes never exceed the failures allowed; the others get a busy error', async () => {
      const states = await Promise.all(Array.from({ length: 20 }, (_, index) => (index % 2 ? limits : elsewhere).begin(policy, 'race')))
      expect(states.filter(({ state }) => state === 'begun')).toHaveLength(3)
      expect(states.filter(({ state }) => state === 'busy')).toHaveLength(17)
      await limits.end(policy, 'race', 'not counted')
      await limits.end(policy, 'race', 'counted')
      expect([await elsewhere.begin(policy, 'race'), await limits.begin(policy, 'race')]).toEqual([begun, busy])
    })

    test('forgetting clears the failures and keeps the places of attempts that are under way', async () => {
      await fail('forgotten')
      await fail('forgotten')
      expect(await limits.begin(policy, 'forgotten')).toEqual(begun)
      await limits.forget(policy, 'forgotten')
      expect([await limits.begin(policy, 'forgotten'), await limits.begin(policy, 'forgotten')]).toEqual([begun, begun])
      expect(await limits.begin(policy, 'forgotten')).toEqual(busy)
      await limits.forget(policy, 'never seen')
    })

    test('failures are forgotten when the window that the first of them opened has passed', async () => {
      const short = { name: 'short', requests: 1, windowSeconds: 1 }
      await limits.begin(short, 'window')
      await limits.end(short, 'window', 'counted')
      expect((await limits.begin(short, 'window')).state).toBe('refused')
      await until(async () => (await limits.begin(short, 'window')).state === 'begun', { what: 'a new window' })
    })

    test('an end too many gives no place away', async () => {
      for (let count = 0; count < 3; count += 1) await limits.end(policy, 'ends', 'not counted')
      const states = await Promise.all(Array.from({ length: 4 }, () => limits.begin(policy, 'ends')))
      expect(states.filter(({ state }) => state === 'begun')).toHaveLength(3)
    })
  })
}
