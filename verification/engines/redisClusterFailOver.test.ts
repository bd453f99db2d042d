import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRedis, type RedisConnection } from '../../src/database/redis/redis.ts'
import { type Answer, createAgent, personCalled, withToken } from '../../test/support/agent.ts'
import { hasOwnServers } from '../../test/support/ownServers.ts'
import { until } from '../../test/support/poll.ts'
import { type RedisCluster, startRedisCluster } from '../../test/support/redisServers.ts'
import { startService, type TestService } from '../../test/support/service.ts'

/** Six servers take long to start, so this runs with `npm run test:engines` alone. */
const isEngineRun = process.env.TEST_ENGINE === '1'

describe.runIf(isEngineRun && (await hasOwnServers()))('on a Redis Cluster whose node fails', () => {
  const email = 'learner@example.org'
  let cluster: RedisCluster
  let redis: RedisConnection
  let service: TestService
  beforeAll(async () => {
    cluster = await startRedisCluster({ replicasOfEach: 1 })
    redis = createRedis(cluster.url, { onError: () => undefined })
    await redis.connect()
    service = await startService({ redis })
    await service.addPerson({ email })
  })
  afterAll(async () => {
    await service?.stop()
    await redis?.close()
    await cluster?.stop()
  })

  const account = (token: string): Promise<Answer> => withToken(`${service.issuer}/api/v1/account`, token)

  test('requests get 503 with Retry-After until the replica takes over, without a restart, and a revocation in between holds', async () => {
    const agent = await createAgent(service.issuer)
    const person = personCalled(email)
    const [{ body: kept }, { body: revoked }] = [await agent.tokens(person), await agent.tokens(person)]
    for (const { access_token } of [kept, revoked]) expect((await account(access_token)).status).toBe(200)
    const owner = await cluster.ownerOf(`{${service.schoolId()}}`)
    await until(async () => Number(await owner.client.wait(1, 1000)) === 1, { what: 'the replica to have everything' })
    await owner.kill()

    const refused = await account(kept.access_token)
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([503, true])
    // PostgreSQL decides. A request that got 503 has changed nothing, and is repeated.
    await until(async () => (await agent.post('/api/oauth/revoke', { token: revoked.refresh_token })).status === 200, {
      what: 'the revocation',
    })
    await until(async () => (await account(kept.access_token)).status === 200, { what: 'the replica to take over' })
    expect((await account(revoked.access_token)).status).toBe(401)
    expect((await agent.refresh(kept.refresh_token)).status).toBe(200)
    expect((await agent.tokens(personCalled(email))).status).toBe(200)
  })
})
