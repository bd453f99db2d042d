// Proves RFC 9700 section 4.5: A code is used once: its exchange can be repeated for a minute by the client that has the verifier, and every other replay revokes its tokens

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { keyFromToken, openWith } from '../../../src/base/keyring.ts'
import { clientTag } from '../../../src/database/facts/fact.ts'
import { createRedis, type RedisConnection } from '../../../src/database/redis/redis.ts'
import { databaseArtifacts } from '../../../src/identity/tokens/databaseArtifacts.ts'
import { type Agent, type Answer, createAgent, personCalled, withToken } from '../../support/agent.ts'
import { availableServices, redisUrl } from '../../support/databases.ts'
import type { Choice, Person } from '../../support/person.ts'
import { startService, type TestService } from '../../support/service.ts'

const email = 'learner@example.org'
const { redis: hasRedis } = await availableServices()

type Parameters = Record<string, string | undefined>

describe.each(hasRedis ? ['database', 'redis'] : ['database'])('codes in the %s', (store) => {
  let service: TestService
  let agent: Agent
  let other: Agent
  let person: Person
  let redis: RedisConnection | undefined
  beforeAll(async () => {
    redis = store === 'redis' ? createRedis(redisUrl, { onError: () => undefined }) : undefined
    await redis?.connect()
    service = await startService({ redis: redis ?? false, oauth: { refresh_window_seconds: 60 }, people: [{ email }] })
    const isConfidential = { token_endpoint_auth_method: 'client_secret_post' }
    agent = await createAgent(service.issuer, isConfidential)
    other = await createAgent(service.issuer, isConfidential)
    person = personCalled(email)
  })
  afterAll(async () => {
    await service.stop()
    await loseKeys('*')
    await redis?.close()
  })

  const redisKeys = async (names: string): Promise<string[]> => (await redis?.client.keys(`sg:{${service.schoolId()}}:${names}`)) ?? []
  const loseKeys = async (names: string): Promise<void> => {
    for (const key of await redisKeys(names)) await redis?.client.del(key)
  }
  const endWindows = () =>
    service.database.sql.query(
      `UPDATE oidc_artifact SET consumed_at = consumed_at - interval '61 seconds', successor_until = successor_until - interval '61 seconds'
        WHERE consumed_at IS NOT NULL`,
    )
  const events = async (event: string): Promise<number> =>
    (await service.database.sql.query('SELECT 1 FROM audit_log WHERE event = $1', [event])).length
  const opens = async ({ access_token }: Answer['body']): Promise<boolean> =>
    (await withToken(`${service.issuer}/api/v1/account`, access_token)).status === 200
  const exchanged = async (parameters: Parameters = {}, request: Parameters = {}, choice?: Choice) => {
    const redirect = await agent.send(person, request, choice)
    const first = await agent.redeem(redirect, parameters)
    expect(first.status).toBe(200)
    return { redirect, tokens: first.body }
  }
  const expectLive = async (tokens: Answer['body']): Promise<void> => {
    expect(await opens(tokens)).toBe(true)
    expect((await agent.refresh(tokens.refresh_token)).status).toBe(200)
  }
  const expectDead = async (tokens: Answer['body']): Promise<void> => {
    expect(await opens(tokens)).toBe(false)
    expect((await agent.refresh(tokens.refresh_token)).body.error).toBe('invalid_grant')
  }
  const expectRefused = ({ status, body }: Answer, error = 'invalid_grant'): void => {
    expect([status, body.error]).toEqual([error === 'invalid_client' ? 401 : 400, error])
    expect(body).not.toHaveProperty('access_token')
  }

  describe('the same exchange again', () => {
    test('gets the same response, issues nothing, and is audited', async () => {
      const { redirect, tokens } = await exchanged()
      const [issued, repeated, replayed] = [
        await events('token.issued'),
        await events('code.answered_again'),
        await events('code.replayed'),
      ]
      const again = await agent.redeem(redirect)
      expect(again.body).toEqual(tokens)
      expect([again.status, again.headers.get('cache-control')]).toEqual([200, 'no-store'])
      expect(await events('token.issued')).toBe(issued)
      expect(await events('code.answered_again')).toBe(repeated + 1)
      expect(await events('code.replayed')).toBe(replayed)
      await expectLive(tokens)
    })

    test('50 times at the same moment gets one response 50 times, and one refresh token is stored (D1)', async () => {
      const redirect = await agent.send(person)
      const count = async () =>
        (await service.database.sql.query("SELECT 1 FROM oidc_artifact WHERE model = 'RefreshToken' AND consumed_at IS NULL")).length
      const before = await count()
      const answers = await Promise.all(Array.from({ length: 50 }, () => agent.redeem(redirect)))
      expect(new Set(answers.map(({ status, body }) => `${status} ${JSON.stringify(body)}`)).size).toBe(1)
      expect(await count()).toBe(before + 1)
      await expectLive(answers[0]?.body)
    })

    test('means the same with a scope, which decides nothing here, and with the resource that the code is bound to', async () => {
      const resource = `${service.issuer}/mcp`
      const { redirect, tokens } = await exchanged({}, { resource })
      for (const parameters of [{ resource }, { resource: `${resource}/` }, { scope: 'openid' }, { scope: 'courses:write no:such:scope' }])
        expect((await agent.redeem(redirect, parameters)).body).toEqual(tokens)
      const { body } = await agent.post('/api/oauth/introspect', { token: tokens.access_token })
      expect(body).toMatchObject({ active: true, aud: resource, scope: tokens.scope })
    })

    test('is answered after the code has expired, while its window is open', async () => {
      const { redirect, tokens } = await exchanged()
      await loseKeys('AuthorizationCode:*')
      await service.database.sql.query(
        "UPDATE oidc_artifact SET expires_at = now() WHERE model = 'AuthorizationCode' AND consumed_at IS NULL",
      )
      expect((await agent.redeem(redirect)).body).toEqual(tokens)
    })
  })

  test.each<[string, Parameters, Parameters]>([
    ['a resource, where the first had none', {}, { resource: '' }],
    ['another resource', { resource: '' }, { resource: '/mcp' }],
    ['no resource, where the first named one', { resource: '' }, {}],
    ['an unknown resource', {}, { resource: '/elsewhere' }],
  ])('a repetition with another effect gets no token and ends nothing: %s', async (_name, once, again) => {
    const at = ({ resource }: Parameters) => ({ resource: resource === undefined ? undefined : `${service.issuer}${resource}` })
    const { redirect, tokens } = await exchanged(at(once))
    const refused = await agent.redeem(redirect, at(again))
    expectRefused(refused)
    expect(refused.body.error_description).toMatch(/The code or refresh_token was used a moment ago with another scope or resource/)
    expect((await agent.redeem(redirect, at(once))).body).toEqual(tokens)
    expect((await agent.refresh(tokens.refresh_token)).status).toBe(200)
  })

  describe('a used code that somebody else presents gets no token and ends the tokens of its grant (D2)', () => {
    test.each<[string, (redirect: URL) => Promise<Answer>]>([
      ['with a wrong verifier', (redirect) => agent.redeem(redirect, { code_verifier: 'x'.repeat(43) })],
      ['without a verifier', (redirect) => agent.redeem(redirect, { code_verifier: undefined })],
      ['with a malformed verifier', (redirect) => agent.redeem(redirect, { code_verifier: 'short' })],
      ['with another redirect URI', (redirect) => agent.redeem(redirect, { redirect_uri: 'http://127.0.0.1:1/callback' })],
      ['another client with its own credentials', (redirect) => other.redeem(redirect)],
      [
        'another client with its own credentials and the verifier of the first',
        (redirect) => other.redeem(redirect, { code_verifier: agent.verifier }),
      ],
    ])('%s', async (_name, replay) => {
      const { redirect, tokens } = await exchanged()
      const before = await events('code.replayed')
      expectRefused(await replay(redirect))
      expect(await events('code.replayed')).toBe(before + 1)
      await expectDead(tokens)
      expectRefused(await agent.redeem(redirect))
    })

    test('after the window, also with everything that the first exchange had, and after the code has expired', async () => {
      for (const isExpired of [false, true]) {
        const { redirect, tokens } = await exchanged()
        await endWindows()
        if (isExpired) await loseKeys('AuthorizationCode:*')
        expectRefused(await agent.redeem(redirect))
        await expectDead(tokens)
      }
    })
  })

  test('a repetition without the credentials of the client is invalid_client, and ends nothing', async () => {
    const { redirect, tokens } = await exchanged()
    for (const client_secret of [undefined, 'wrong', other.clientSecret])
      expectRefused(await agent.redeem(redirect, { client_secret }), 'invalid_client')
    await expectLive(tokens)
  })

  describe('the response is not sent again', () => {
    const authorizations = '/api/v1/account/authorizations'
    const withdraw = async ({ access_token }: Answer['body']) => {
      const headers = { authorization: `Bearer ${access_token}` }
      const { body } = await withToken(`${service.issuer}${authorizations}?limit=100`, access_token)
      for (const { id } of body.data) await fetch(`${service.issuer}${authorizations}/${id}`, { method: 'DELETE', headers })
    }
    test.each<[string, (tokens: Answer['body']) => Promise<unknown>]>([
      ['the app has revoked its access token', ({ access_token: token }) => agent.post('/api/oauth/revoke', { token })],
      ['the app has revoked its refresh token', ({ refresh_token: token }) => agent.post('/api/oauth/revoke', { token })],
      ['the person has removed the app', withdraw],
    ])('after %s', async (_name, end) => {
      const { redirect, tokens } = await exchanged({}, { scope: 'openid account:read account:write' }, { scopes: 'all' })
      await end(tokens)
      expect(await opens(tokens)).toBe(false)
      expectRefused(await agent.redeem(redirect))
    })

    test('after the client was disabled, nor after it is enabled again', async () => {
      const client = await createAgent(service.issuer)
      const redirect = await client.send(person)
      const { body: tokens } = await client.redeem(redirect)
      const artifacts = databaseArtifacts(service.database.sql)
      const [schoolId, clientId] = [service.schoolId(), client.clientId]
      const key = { schoolId, clientId, clientTag: clientTag(schoolId, clientId) }
      await artifacts.endClient(key)
      expectRefused(await client.redeem(redirect), 'invalid_client')
      await artifacts.restoreClient(key)
      expectRefused(await client.redeem(redirect))
      expect(await opens(tokens)).toBe(false)
    })
  })

  test('of a revocation, repetitions and replays at the same moment nothing stays alive', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { redirect, tokens } = await exchanged()
      const answers = await Promise.all([
        ...[1, 2, 3, 4].map(() => agent.redeem(redirect)),
        round % 2
          ? agent.redeem(redirect, { code_verifier: 'x'.repeat(43) })
          : agent.post('/api/oauth/revoke', { token: tokens.refresh_token }),
      ])
      for (const { body } of answers.filter(({ body }) => body.access_token !== undefined)) expect(body).toEqual(tokens)
      await expectDead(tokens)
    }
  })

  test('the stored response opens with the verifier alone: not with the code, nor with anything in the stores (D4)', async () => {
    const { redirect, tokens } = await exchanged()
    const rows = await service.database.sql.query<{ text: string }>(
      "SELECT concat_ws(' ', id, payload, successor) AS text FROM oidc_artifact ORDER BY consumed_at DESC NULLS LAST",
    )
    const answers = await Promise.all((await redisKeys('RefreshAnswer:*')).map((key) => redis?.client.hget(key, 'p')))
    const texts = [...rows.map(({ text }) => text), ...answers.map((text) => text ?? '')]
    const code = redirect.searchParams.get('code') ?? ''
    const all = texts.join(' ')
    for (const value of [code, agent.verifier, tokens.access_token, tokens.refresh_token, tokens.id_token]) expect(all).not.toContain(value)
    const openedBy = (secret: string): number =>
      all.split(' ').filter((text) => openWith(keyFromToken(secret, 'refresh window'), text) !== undefined).length
    expect(openedBy(JSON.stringify([code, agent.verifier, agent.redirectUri]))).toBe(1)
    for (const secret of [
      code,
      agent.verifier,
      JSON.stringify([code, null, agent.redirectUri]),
      JSON.stringify([code, '', agent.redirectUri]),
    ])
      expect(openedBy(secret)).toBe(0)
  })

  test.runIf(store === 'redis')('after Redis has lost the response a repetition is refused and ends nothing', async () => {
    const { redirect, tokens } = await exchanged()
    await loseKeys('RefreshAnswer:*')
    expectRefused(await agent.redeem(redirect))
    await expectLive(tokens)
    await endWindows()
    expectRefused(await agent.redeem(redirect))
    expect(await opens(tokens)).toBe(false)
  })
})
