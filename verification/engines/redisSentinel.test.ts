// Proves RFC 6749 section 4.1.2, RFC 7009: A Sentinel fail-over that loses the latest writes brings back no revoked token and no used code

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRedis, type RedisConnection } from '../../src/database/redis/redis.ts'
import { type Agent, type Answer, createAgent, get, personCalled, withToken } from '../../test/support/agent.ts'
import { hasOwnServers } from '../../test/support/ownServers.ts'
import type { Person } from '../../test/support/person.ts'
import { until } from '../../test/support/poll.ts'
import { type SentinelRedis, startSentinelRedis } from '../../test/support/redisServers.ts'
import { startService, type TestService } from '../../test/support/service.ts'
import { completeJourney } from './journey.ts'

describe.runIf(await hasOwnServers())('on Redis with three sentinels', () => {
  const email = 'learner@example.org'
  let sentinels: SentinelRedis
  let redis: RedisConnection
  let service: TestService
  let agent: Agent
  let person: Person
  beforeAll(async () => {
    sentinels = await startSentinelRedis()
    redis = createRedis(sentinels.url, { onError: () => undefined })
    await redis.connect()
    service = await startService({ redis })
    await service.addPerson({ email })
    agent = await createAgent(service.issuer)
    person = personCalled(email)
  })
  afterAll(async () => {
    await service?.stop()
    await redis?.close()
    await sentinels?.stop()
  })

  const account = (token: string): Promise<Answer> => withToken(`${service.issuer}/api/v1/account`, token)

  test('a person signs in, refreshes and revokes', () => completeJourney(service, service.issuer, email))

  test('a fail-over that loses the latest writes brings back no revoked token and no used code', async () => {
    const [{ body: revoked }, { body: unseen }, { body: kept }] = [
      await agent.tokens(person),
      await agent.tokens(person),
      await agent.tokens(person),
    ]
    // From here on the process has their rows in memory.
    for (const { access_token } of [revoked, unseen, kept]) expect((await account(access_token)).status).toBe(200)
    const redirect = await agent.send(person)
    await sentinels.stopReplication()

    for (const { refresh_token } of [revoked, unseen])
      expect((await agent.post('/api/oauth/revoke', { token: refresh_token })).status).toBe(200)
    const { status, body: ofCode } = await agent.redeem(redirect)
    expect(status).toBe(200)
    const seen = new Set<number>()
    const looking = { isOn: true }
    const look = async (): Promise<void> => {
      while (looking.isOn) {
        const answer = await account(revoked.access_token)
        seen.add(answer.status)
        if (answer.status === 503) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
      }
    }
    const watching = look()
    await sentinels.failOver()
    await until(async () => (await account(kept.access_token)).status === 200, { what: 'the service to use the new primary' })
    looking.isOn = false
    await watching

    expect([...seen].toSorted()).toEqual([401, 503])
    // The new primary has the version from before the revocation.
    for (const { access_token } of [revoked, unseen]) expect((await account(access_token)).status).toBe(401)
    expect((await agent.refresh(revoked.refresh_token)).body.error).toBe('invalid_grant')
    expect((await agent.redeem(redirect, { code_verifier: 'x'.repeat(43) })).body.error).toBe('invalid_grant')
    // Within the window, a used code whose response is lost is refused and ends nothing: its client may have sent it.
    expect((await agent.refresh(ofCode.refresh_token)).status).toBe(200)
    expect((await agent.refresh(kept.refresh_token)).status).toBe(200)
    await completeAgain()
  })

  async function completeAgain(): Promise<void> {
    expect((await agent.tokens(personCalled(email))).status).toBe(200)
    expect((await get(`${service.issuer}/api/v1/courses`)).status).toBe(200)
  }
})
