import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLog } from '../../src/base/log/log.ts'
import type { Database } from '../../src/database/connection/database.ts'
import { redisMarkers } from '../../src/database/facts/redisMarkers.ts'
import { createRedis, type RedisConnection } from '../../src/database/redis/redis.ts'
import { createAgent, personCalled } from '../support/agent.ts'
import { availableServices, everyDatabase, openDatabaseTwice } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { password, startService, type TestService } from '../support/service.ts'
import { fieldsOf, sendAs } from './browsing.ts'

const { redis: hasRedis } = await availableServices()
const kinds = (await everyDatabase()).flatMap((kind) => [
  { ...kind, stores: kind.name, isShared: false },
  ...(hasRedis && kind.name === 'postgresql' ? [{ ...kind, stores: 'postgresql and Redis', isShared: true }] : []),
])

interface Ids {
  accountId: string
  clientId: string
}

type Change = (database: Database, ids: Ids) => Promise<unknown>

const changes: Record<string, Change> = {
  'the account is disabled': ({ transaction }, { accountId }) =>
    transaction((writer) => writer.updateTable('account').set({ disabled_at: new Date() }).where('id', '=', accountId).execute()),
  'all sessions of the account end': ({ transaction }, { accountId }) =>
    transaction((writer) =>
      writer
        .updateTable('account')
        .set({ sessions_valid_after: new Date(Date.now() + 1000) })
        .where('id', '=', accountId)
        .execute(),
    ),
  'the client is disabled': ({ transaction }, { clientId }) =>
    transaction((writer) => writer.updateTable('oidc_client').set({ disabled_at: new Date() }).where('id', '=', clientId).execute()),
  'the client is removed': ({ transaction }, { clientId }) =>
    transaction((writer) => writer.deleteFrom('oidc_client').where('id', '=', clientId).execute()),
  'the grants of the account are revoked': ({ transaction }, { accountId }) =>
    transaction((writer) => writer.updateTable('oidc_grant').set({ revoked_at: new Date() }).where('account_id', '=', accountId).execute()),
}
const moments = ['before the sign-in', 'before the consent', 'before the return'] as const
// A sign-in or a consent that follows the change is not affected by it.
const harmless = new Set([
  'all sessions of the account end, before the sign-in',
  'the grants of the account are revoked, before the sign-in',
  'the grants of the account are revoked, before the consent',
])
const cases = Object.entries(changes).flatMap(([name, change]) => moments.map((moment) => ({ name, change, moment })))

describe.each(kinds)('a sign-in of which another process keeps the client and the account, on $stores', ({ open, isShared }) => {
  const held = duringTests(open)
  let redis: RedisConnection | undefined
  let second: Awaited<ReturnType<typeof openDatabaseTwice>>
  let service: TestService
  let people = 0

  beforeAll(async () => {
    if (isShared) {
      redis = createRedis(process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379', { onError: () => undefined })
      await redis.connect()
    }
    second = await openDatabaseTwice(held)
    if (redis) second.database.facts.useMarkers(redisMarkers({ redis: redis.client, log: createLog('silent') }))
    service = await startService({ database: held.database, redis: redis ?? false })
  })
  afterAll(async () => {
    await service.stop()
    await second.close()
    await redis?.close()
  })

  /** Signs a new person in, with a change in between. Returns whether the app gets a code. */
  async function getsCode(moment: (typeof moments)[number], change: (ids: Ids) => Promise<unknown>): Promise<boolean> {
    people += 1
    const email = `person-${people}@example.org`
    const { accountId } = await service.addPerson({ email })
    const agent = await createAgent(service.issuer)
    const ids = { accountId, clientId: agent.clientId }
    // The process knows both rows.
    await agent.tokens(personCalled(email))
    const person = personCalled(email)
    const page = await person.open(agent.authorizationUrl().href)
    if (moment === 'before the sign-in') await change(ids)
    const consent = await person.submit(page, /sign-in$/, { email, password })
    if (!consent.html.includes('name="scope"')) return false
    const { address, fields } = fieldsOf(consent, /consent$/)
    if (moment === 'before the consent') await change(ids)
    const location = (await sendAs(person, address, { fields })).headers.get('location')
    if (moment === 'before the return') await change(ids)
    const end = location === null ? undefined : await person.open(new URL(location, service.issuer).href)
    return end?.leftFor?.searchParams.has('code') ?? false
  }

  test.each(cases)('takes effect with the next step when $name $moment', async ({ name, change, moment }) => {
    const isIssued = await getsCode(moment, (ids) => change(second.database, ids))
    expect(isIssued).toBe(harmless.has(`${name}, ${moment}`))
  })

  test.each(moments)('gives a code when nothing changes %s', async (moment) => {
    expect(await getsCode(moment, async () => undefined)).toBe(true)
  })

  test.runIf(isShared).each(moments)('gives no code when another program disables the account %s without a mark', async (moment) => {
    second.database.facts.useMarkers({ begin: async () => ({ end: async () => undefined }) })
    const disable = changes['the account is disabled'] as Change
    try {
      expect(await getsCode(moment, (ids) => disable(second.database, ids))).toBe(false)
    } finally {
      if (redis) second.database.facts.useMarkers(redisMarkers({ redis: redis.client, log: createLog('silent') }))
    }
  })
})
