import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createRedis, type RedisConnection } from '../../src/database/redis/redis.ts'
import { type Agent, type Answer, createAgent, personCalled, withToken } from '../support/agent.ts'
import { availableServices, redisUrl } from '../support/databases.ts'
import type { Person } from '../support/person.ts'
import { startService, type TestService } from '../support/service.ts'

const email = 'learner@example.org'
const { redis: hasRedis } = await availableServices()

describe.each(hasRedis ? ['database', 'redis'] : ['database'])('with tokens in the %s', (store) => {
  let service: TestService
  let agent: Agent
  let person: Person
  let redis: RedisConnection | undefined
  beforeAll(async () => {
    redis = store === 'redis' ? createRedis(redisUrl, { onError: () => undefined }) : undefined
    await redis?.connect()
    service = await startService({ redis: redis ?? false, oauth: { refresh_window_seconds: 30 } })
    await service.addPerson({ email })
    await service.addPerson({ email: 'admin@example.org', role: 'admin' })
    agent = await createAgent(service.issuer)
    person = personCalled(email)
  })
  afterAll(async () => {
    await service.stop()
    await redis?.close()
  })

  const opens = async (token: string): Promise<boolean> => (await withToken(`${service.issuer}/api/v1/account`, token)).status === 200
  const revoke = (token: string, as = agent): Promise<Answer> => as.post('/api/oauth/revoke', { token })
  const grantCount = async (): Promise<number> => {
    const [row] = await service.database.sql.query<{ live: number }>(
      'SELECT count(*)::int AS live FROM oidc_grant WHERE revoked_at IS NULL',
    )
    return row?.live ?? -1
  }

  describe('everything issued under a revoked grant is invalid (RFC 7009 section 2.1, RFC 9700 section 4.14)', () => {
    test('a code that was not redeemed yet is dead once a token of the same person and client is not: grants are apart, and each ends alone', async () => {
      const { body: first } = await agent.tokens(person)
      const redirect = await agent.send(person)
      await revoke(first.refresh_token)
      const { status, body } = await agent.redeem(redirect)
      expect(status).toBe(200)
      expect(await opens(body.access_token)).toBe(true)
      expect(await opens(first.access_token)).toBe(false)
    })

    test('every token of a line of refreshes dies with any of them, the spent ones and their kept answers included', async () => {
      const { body: one } = await agent.tokens(person)
      const { body: two } = await agent.refresh(one.refresh_token)
      const { body: three } = await agent.refresh(two.refresh_token)
      await revoke(three.access_token)
      for (const { access_token, refresh_token } of [one, two, three]) {
        expect(await opens(access_token)).toBe(false)
        expect((await agent.refresh(refresh_token)).body.error).toBe('invalid_grant')
        expect((await agent.post('/api/oauth/introspect', { token: access_token })).body).toEqual({ active: false })
      }
    })

    test('a spent refresh token revokes as well', async () => {
      const { body: one } = await agent.tokens(person)
      const { body: two } = await agent.refresh(one.refresh_token)
      expect((await revoke(one.refresh_token)).status).toBe(200)
      expect(await opens(two.access_token)).toBe(false)
      expect((await agent.refresh(two.refresh_token)).body.error).toBe('invalid_grant')
    })

    test('a revocation that meets refreshes leaves nothing alive, whichever comes first', async () => {
      for (let round = 0; round < 6; round += 1) {
        const { body: tokens } = await agent.tokens(person)
        const [answers] = await Promise.all([
          Promise.all([1, 2, 3].map(() => agent.refresh(tokens.refresh_token))),
          revoke(round % 2 ? tokens.access_token : tokens.refresh_token),
        ])
        for (const { body } of [{ body: tokens }, ...answers.filter(({ status }) => status === 200)]) {
          expect(await opens(body.access_token)).toBe(false)
          expect((await agent.refresh(body.refresh_token)).body.error).toBe('invalid_grant')
        }
      }
    })

    test('a replay that meets the first redemption and comes later leaves nothing alive', async () => {
      for (let round = 0; round < 4; round += 1) {
        const redirect = await agent.send(person)
        const replay = () => agent.redeem(redirect, { code_verifier: 'x'.repeat(43) })
        const answers = await Promise.all([agent.redeem(redirect), agent.redeem(redirect), replay()])
        expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
        await replay()
        for (const { body } of answers.filter(({ status }) => status === 200)) {
          expect(await opens(body.access_token)).toBe(false)
          expect((await agent.refresh(body.refresh_token)).body.error).toBe('invalid_grant')
        }
      }
    })

    test('revocations at the same moment all succeed, and end one grant', async () => {
      const { body: tokens } = await agent.tokens(person)
      const before = await grantCount()
      const answers = await Promise.all([1, 2, 3, 4, 5].flatMap(() => [revoke(tokens.access_token), revoke(tokens.refresh_token)]))
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
      expect(await grantCount()).toBe(before - 1)
    })
  })

  describe('the earlier answer to a refresh is for the same client and the same request alone (D3)', () => {
    let spent: string
    let answer: Record<string, unknown>
    const prepare = async (as = agent, scope?: string): Promise<void> => {
      spent = (await as.tokens(person)).body.refresh_token
      answer = (await as.refresh(spent, { scope })).body
    }
    const isKept = (body: unknown): boolean => JSON.stringify(body) === JSON.stringify(answer)
    const post = (body: string): Promise<Answer> =>
      fetch(`${service.issuer}/api/oauth/token`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }).then(async (got) => ({ status: got.status, headers: got.headers, body: await got.json() }))

    test('the same request gets the same response again', async () => {
      await prepare()
      expect(isKept((await agent.refresh(spent)).body)).toBe(true)
    })

    test.each<[string, (id: string, token: string) => string]>([
      ['client_id twice, the same', (id, token) => `grant_type=refresh_token&refresh_token=${token}&client_id=${id}&client_id=${id}`],
      ['client_id twice, another first', (id, token) => `grant_type=refresh_token&refresh_token=${token}&client_id=nobody&client_id=${id}`],
      ['client_id in another case', (id, token) => `grant_type=refresh_token&refresh_token=${token}&client_id=${id.toUpperCase()}`],
      ['client_id with a blank', (id, token) => `grant_type=refresh_token&refresh_token=${token}&client_id=${id}%20`],
      ['client_id with NUL', (id, token) => `grant_type=refresh_token&refresh_token=${token}&client_id=${id}%00`],
      ['client_id[]', (id, token) => `grant_type=refresh_token&refresh_token=${token}&client_id[]=${id}`],
      ['no client_id', (_, token) => `grant_type=refresh_token&refresh_token=${token}`],
      [
        'client_id behind a thousand others',
        (id, token) => `${'a&'.repeat(1000)}grant_type=refresh_token&refresh_token=${token}&client_id=${id}`,
      ],
      ['refresh_token twice', (id, token) => `grant_type=refresh_token&refresh_token=${token}&refresh_token=${token}&client_id=${id}`],
      ['grant_type twice', (id, token) => `grant_type=refresh_token&grant_type=authorization_code&refresh_token=${token}&client_id=${id}`],
      ['an invented secret', (id, token) => `grant_type=refresh_token&refresh_token=${token}&client_id=${id}&client_secret=x`],
      [
        'as a code',
        (id, token) => `grant_type=authorization_code&code=${token}&client_id=${id}&redirect_uri=x&code_verifier=${'x'.repeat(43)}`,
      ],
      ['scope replaced', (id, token) => `grant_type=refresh_token&refresh_token=${token}&client_id=${id}&scope=openid+students%3Aread`],
      ['scope narrowed', (id, token) => `grant_type=refresh_token&refresh_token=${token}&client_id=${id}&scope=openid`],
      ['a resource', (id, token) => `grant_type=refresh_token&refresh_token=${token}&client_id=${id}&resource=${service.issuer}`],
    ])('%s: refused, and not answered with it', async (_, form) => {
      await prepare()
      const { status, body } = await post(form(agent.clientId, spent))
      expect([400, 401]).toContain(status)
      expect(isKept(body)).toBe(false)
      expect(body).not.toHaveProperty('access_token')
    })

    test('another client gets nothing, and what was stolen ends', async () => {
      await prepare()
      const thief = await createAgent(service.issuer)
      const { status, body } = await thief.refresh(spent)
      expect([status, body.error]).toEqual([400, 'invalid_grant'])
      expect(await opens(answer.access_token as string)).toBe(false)
    })

    test('a confidential client proves itself also within the window', async () => {
      const confidential = await createAgent(service.issuer, { token_endpoint_auth_method: 'client_secret_post' })
      await prepare(confidential)
      const { status, body } = await post(`grant_type=refresh_token&refresh_token=${spent}&client_id=${confidential.clientId}`)
      expect([status, isKept(body)]).toEqual([401, false])
      expect((await confidential.refresh(spent, { client_secret: 'wrong' })).status).toBe(401)
      expect(isKept((await confidential.refresh(spent)).body)).toBe(true)
    })

    test('introspecting or revoking with the words of a refresh gives no token away, and ends no grant that it must not', async () => {
      await prepare()
      const stranger = await createAgent(service.issuer)
      for (const as of [agent, stranger]) {
        const { status, body } = await as.post('/api/oauth/introspect', { token: spent, grant_type: 'refresh_token', refresh_token: spent })
        expect([status, body]).toEqual([200, { active: false }])
      }
      expect((await revoke(spent, stranger)).status).toBe(200)
      expect(await opens(answer.access_token as string)).toBe(true)
      expect((await agent.post('/api/oauth/revoke', { token: spent, grant_type: 'refresh_token' })).status).toBe(200)
      expect(await opens(answer.access_token as string)).toBe(false)
    })
  })

  test('tokens with altered, truncated or swapped tags are invalid (tags are hints, the whole text counts)', async () => {
    const [{ body: one }, { body: two }] = [await agent.tokens(person), await agent.tokens(person)]
    await revoke(two.refresh_token)
    for (const kind of ['access_token', 'refresh_token'] as const) {
      const [random, grant, client] = String(one[kind]).split('~')
      const [, otherGrant] = String(two[kind]).split('~')
      const [endedRandom] = String(two[kind]).split('~')
      for (const forged of [
        random,
        `${random}~${grant}`,
        `${random}~${otherGrant}~${client}`,
        `${random}~${grant}~${client}~x`,
        `${random}.${grant}.${client}`,
        `${endedRandom}~${grant}~${client}`,
        `${random}~~`,
      ]) {
        expect((await agent.refresh(String(forged))).body.error).toBe('invalid_grant')
        expect((await withToken(`${service.issuer}/api/v1/account`, String(forged))).status).toBe(401)
      }
    }
    expect(await opens(one.access_token)).toBe(true)
  })

  describe('resource and scope', () => {
    const bound = async (parameters: Record<string, string | undefined>, redeemed = {}): Promise<Answer> =>
      agent.redeem(await agent.send(person, parameters, { scopes: 'all' }), redeemed)

    test.each([
      '__proto__',
      'constructor',
      'https://evil.example',
      'about:blank',
      ' ',
      '\0',
      `{issuer}/mcp#x`,
      '{issuer}/mcp/../api',
      '{issuer}/MCP',
    ])('resource %j at the token endpoint is invalid_target, and the code stays good', async (text) => {
      const redirect = await agent.send(person)
      const resource = text.replace('{issuer}', service.issuer)
      expect((await agent.redeem(redirect, { resource })).body.error).toBe('invalid_target')
      expect((await agent.redeem(redirect)).status).toBe(200)
    })

    test('a token that was bound stays bound through refreshes: it never becomes one for the API', async () => {
      const { body } = await bound({ resource: `${service.issuer}/mcp` })
      const { body: next } = await agent.refresh(body.refresh_token)
      expect((await withToken(`${service.issuer}/api/v1/account`, next.access_token)).status).toBe(401)
      expect((await agent.refresh(next.refresh_token, { resource: service.issuer })).body.error).toBe('invalid_target')
    })

    test('scopes that the person did not grant come with no spelling of a later request', async () => {
      const { body } = await bound({ scope: 'openid school:read' })
      for (const scope of ['courses:read', 'OPENID COURSES:READ', 'offline_access students:write']) {
        const refreshed = await agent.refresh(body.refresh_token, { scope })
        expect([scope, refreshed.status, refreshed.body.error]).toEqual([scope, 400, 'invalid_scope'])
      }
      const { body: wide } = await agent.refresh(body.refresh_token, { scope: 'openid school:read courses:read offline_access' })
      expect(wide.scope.split(' ').sort()).toEqual(['openid', 'school:read'])
    })

    test('a person who is demoted keeps no power that the role lost: at introspection, at the next refresh, and for good while the role is lost (D18)', async () => {
      const admin = personCalled('admin@example.org')
      const { body } = await agent.tokens(admin, { scope: 'openid account:read courses:write pages:write' }, { scopes: 'all' })
      expect(body.scope).toContain('pages:write')
      await service.database.sql.query("UPDATE staff SET status = 'inactive' WHERE role = 'admin'")
      const reply = await agent.post('/api/oauth/introspect', { token: body.access_token })
      expect(reply.body.scope.split(' ').sort()).toEqual(['account:read', 'openid'])
      const { body: refreshed } = await agent.refresh(body.refresh_token)
      expect(refreshed.scope.split(' ').sort()).toEqual(['account:read', 'openid'])
      expect((await withToken(`${service.issuer}/api/v1/account`, refreshed.access_token)).status).toBe(200)
      const again = await agent.post('/api/oauth/introspect', { token: refreshed.access_token })
      expect(again.body.scope.split(' ').sort()).toEqual(['account:read', 'openid'])
      expect((await agent.refresh(refreshed.refresh_token, { scope: 'openid courses:write' })).body.scope).toBe('openid')
    })
  })
})

describe('abandoned authorizations', () => {
  let service: TestService
  afterEach(() => service.stop())

  test('a grant whose code was never redeemed gives no access and lists no token', async () => {
    service = await startService({ redis: false })
    await service.addPerson({ email })
    const agent = await createAgent(service.issuer)
    const redirect = await agent.send(personCalled(email))
    const code = redirect.searchParams.get('code') as string
    expect((await withToken(`${service.issuer}/api/v1/account`, code)).status).toBe(401)
    expect((await agent.refresh(code)).body.error).toBe('invalid_grant')
    const rows = await service.database.sql.query<{ model: string; id: string }>(
      'SELECT model, id FROM oidc_artifact WHERE grant_id IS NOT NULL',
    )
    expect(rows).toEqual([{ model: 'AuthorizationCode', id: createHash('sha256').update(code).digest('base64url') }])
  })
})
