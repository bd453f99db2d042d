import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../../src/base/ids.ts'
import { createRedis, type RedisConnection } from '../../../src/database/redis/redis.ts'
import { findMailedLink, saveMailedLink, sweepMailedLinks, useMailedLink } from '../../../src/database/tables/mailedLinks.ts'
import { createAgent, personCalled, withToken } from '../../support/agent.ts'
import { availableServices, databasesToTest, throwawayRedis } from '../../support/databases.ts'
import { duringTests } from '../../support/duringTests.ts'
import { newSchool } from '../../support/rows.ts'
import { password, startService, type TestService } from '../../support/service.ts'
import { createBrowser } from '../browser.ts'
import { choosePassword, isSignedIn, newPassword, resetLink, send, signedIn, signUpLink } from './account.ts'

const { redis: hasRedis } = await availableServices()
const databases = await databasesToTest()
const stores = [
  ...databases.map((database) => ({ ...database, withRedis: false })),
  ...databases.slice(-1).map((database) => ({ ...database, withRedis: true })),
]

describe.each(stores.filter(({ withRedis }) => hasRedis || !withRedis))('$name, sessions in Redis: $withRedis', ({ open, withRedis }) => {
  const held = duringTests(open)
  let redis: RedisConnection | undefined
  let service: TestService
  beforeAll(async () => {
    if (withRedis) {
      redis = createRedis((await throwawayRedis()).url, { onError: () => undefined })
      await redis.connect()
    }
    service = await startService({ database: held.database, ...(redis ? { redis } : {}) })
  })
  afterAll(async () => {
    await service.stop()
    // The id of the school, which is new for this test, is part of every key name.
    const keys = redis ? await redis.client.keys(`sg:{${service.schoolId()}}:*`) : []
    for (const key of keys) await redis?.client.del(key)
    await redis?.close()
  })

  test('a person signs up, is connected to an app, replaces the password, signs out everywhere and ends the app', async () => {
    const email = 'all@example.com'
    await choosePassword(service, await signUpLink(service, email), { password, repeated: password })
    const first = await signedIn(service, email)
    const { body } = await (await createAgent(service.issuer)).tokens(personCalled(email))
    const call = async () => (await withToken(`${service.issuer}/api/v1/account`, body.access_token)).status
    const link = await resetLink(service, email)
    await choosePassword(service, link)
    expect([await isSignedIn(first), (await createBrowser(service.issuer).get(link.href)).status]).toEqual([false, 410])

    const [second, third] = [await signedIn(service, email, newPassword), await signedIn(service, email, newPassword)]
    await send(second, await second.get('/account/sessions'), {}, /sign-out-everywhere$/)
    expect([await isSignedIn(second), await isSignedIn(third), await call()]).toEqual([false, false, 200])

    const fourth = await signedIn(service, email, newPassword)
    expect((await send(fourth, await fourth.get('/account/apps'), {}, /apps\/remove$/)).status).toBe(303)
    expect([await call(), await isSignedIn(fourth)]).toEqual([401, true])
  })

  test('one of many who use a mailed link at the same time wins, and only unusable links are swept', async () => {
    const { sql } = held.database
    const schoolId = await newSchool(sql)
    const key = (id: string) => ({ schoolId, purpose: 'sign_up', id }) as const
    const save = (id: string, expiresInSeconds: number) =>
      saveMailedLink(held.database.kysely, { ...key(id), email: 'a@example.com', payload: { name: 'A\0' }, expiresInSeconds })
    await save('used', 60)
    const winners = await Promise.all(Array.from({ length: 8 }, () => useMailedLink(held.database.kysely, key('used'))))
    expect(winners.filter(Boolean)).toEqual([{ email: 'a@example.com', account_id: null, payload: { name: 'A\ufffd' } }])

    const id = newId()
    await save(id, 60)
    await save('just expired', -60)
    await save('long expired', -90_000)
    expect(await sweepMailedLinks(held.database.kysely, 100)).toBe(1)
    expect(await findMailedLink(held.database.kysely, key(id))).toBeDefined()
    expect(await findMailedLink(held.database.kysely, key('just expired'))).toBeUndefined()
    expect(await findMailedLink(held.database.kysely, { ...key(id), purpose: 'password_reset' })).toBeUndefined()
    expect(await findMailedLink(held.database.kysely, { ...key(id), schoolId: newId() })).toBeUndefined()
  })
})
