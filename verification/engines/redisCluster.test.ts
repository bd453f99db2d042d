import { Cluster } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRedis, type RedisConnection, removeSchoolKeys } from '../../src/database/redis/redis.ts'
import { createAgent, personCalled } from '../../test/support/agent.ts'
import { hasOwnServers } from '../../test/support/ownServers.ts'
import { type RedisCluster, startRedisCluster } from '../../test/support/redisServers.ts'
import { startService, type TestService } from '../../test/support/service.ts'
import { completeJourney } from './journey.ts'

describe.runIf(await hasOwnServers())('on a Redis Cluster of three nodes', () => {
  let cluster: RedisCluster
  let redis: RedisConnection
  let service: TestService
  const email = 'learner@example.org'
  beforeAll(async () => {
    cluster = await startRedisCluster()
    redis = createRedis(cluster.url, { onError: () => undefined })
    await redis.connect()
    service = await startService({ schools: 2, redis, isLimited: true })
    for (const school of [service.issuer, service.other]) await service.addPerson({ email, school })
  })
  afterAll(async () => {
    await service?.stop()
    await redis?.close()
    await cluster?.stop()
  })

  const keysOf = async (at: number): Promise<string[]> => (await cluster.masters[at]?.client.keys('*')) ?? []
  const allKeys = async (): Promise<string[]> => (await Promise.all(cluster.masters.map((_node, at) => keysOf(at)))).flat()

  test('people of two schools sign in, refresh and revoke', async () => {
    for (const issuer of [service.issuer, service.other]) await completeJourney(service, issuer, email)
  })

  test('all keys of a school are on the node of the school, and its removal finds them there', async () => {
    for (const issuer of [service.issuer, service.other]) await (await createAgent(issuer)).tokens(personCalled(email))
    for (const issuer of [service.issuer, service.other]) {
      const id = service.schoolId(issuer)
      const owner = await cluster.ownerOf(`{${id}}`)
      const [ofOwner, ofAll] = [await owner.client.keys(`*${id}*`), (await allKeys()).filter((key) => key.includes(id))]
      expect(ofOwner.length).toBeGreaterThan(5)
      expect(ofAll.toSorted()).toEqual(ofOwner.toSorted())
    }
    const left = service.schoolId(service.other)
    expect(redis.client).toBeInstanceOf(Cluster)
    await removeSchoolKeys(redis.client, service.schoolId(service.issuer))
    const keys = await allKeys()
    expect(keys.filter((key) => key.includes(service.schoolId(service.issuer)))).toEqual([])
    expect(keys.filter((key) => key.includes(left)).length).toBeGreaterThan(5)
  })
})
