// Proves RFC 7662 section 4, RFC 7009 section 2.1: Introspection and revocation reveal nothing to other clients

import { beforeAll, describe, expect, test } from 'vitest'
import { agentOf, createAgent, personCalled, withToken } from '../../support/agent.ts'
import { duringTests } from '../../support/duringTests.ts'
import type { Person } from '../../support/person.ts'
import { startService } from '../../support/service.ts'

const secret = 'a resource server secret with plenty of randomness'
// printf %s "$secret" | openssl dgst -sha256 -binary | basenc --base64url
const { createHash } = await import('node:crypto')
const secret_hash = `sha256:${createHash('sha256').update(secret).digest('base64url')}`
const reports = 'https://reports.example.com'

const service = duringTests(() =>
  startService({
    resources: {
      resource_servers: [
        { identifier: reports, name: 'Reports', scopes: ['courses:read', 'school:read'], introspection_clients: ['reports-server'] },
      ],
    },
    school: {
      integrations: [
        {
          client_id: 'reports-server',
          client_name: 'Reports',
          redirect_uris: ['https://reports.example.com/callback'],
          token_endpoint_auth_method: 'client_secret_post',
          secret_hash,
        },
      ],
    },
  }),
)
const agent = duringTests(() => createAgent(service.issuer))
let person: Person
beforeAll(async () => {
  await service.addPerson({ email: 'learner@example.org' })
  await service.addPerson({ email: 'admin@example.org', role: 'admin' })
  person = personCalled('learner@example.org')
})

const account = async (token: string): Promise<number> => (await withToken(`${service.issuer}/api/v1/account`, token)).status

describe('revocation (RFC 7009)', () => {
  test.each(['access_token', 'refresh_token'] as const)('of an %s revokes the grant: both tokens are immediately invalid', async (kind) => {
    const { body } = await agent.tokens(person)
    expect(await account(body.access_token)).toBe(200)
    const revoked = await agent.post('/api/oauth/revoke', { token: body[kind] })
    expect([revoked.status, revoked.body]).toEqual([200, {}])
    expect(await account(body.access_token)).toBe(401)
    expect((await agent.refresh(body.refresh_token)).body.error).toBe('invalid_grant')
  })

  test('leaves the other grants of the same person and client alone', async () => {
    const [{ body: one }, { body: two }] = [await agent.tokens(person), await agent.tokens(person)]
    await agent.post('/api/oauth/revoke', { token: one.refresh_token })
    expect(await account(two.access_token)).toBe(200)
    expect((await agent.refresh(two.refresh_token)).status).toBe(200)
  })

  test('returns 200 for an unknown token and 401 for an unknown client', async () => {
    expect((await agent.post('/api/oauth/revoke', { token: 'nonsense' })).status).toBe(200)
    expect(await agent.post('/api/oauth/revoke', { token: 'nonsense', client_id: 'cli_gone' })).toMatchObject({
      status: 401,
      body: { error: 'invalid_client' },
    })
    expect(await agent.post('/api/oauth/revoke', {})).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
  })

  test("leaves another client's token valid", async () => {
    const { body } = await agent.tokens(person)
    expect((await (await createAgent(service.issuer)).post('/api/oauth/revoke', { token: body.access_token })).status).toBe(200)
    expect(await account(body.access_token)).toBe(200)
  })

  test('is audited', async () => {
    const rows = await service.database.sql.query("SELECT client_id FROM audit_log WHERE event = 'token.revoked'")
    expect(rows.length).toBeGreaterThan(0)
  })
})

describe('introspection (RFC 7662)', () => {
  test('describes a token to the client that it was issued to', async () => {
    const { body } = await agent.tokens(person, { scope: 'openid courses:read' })
    expect((await agent.post('/api/oauth/introspect', { token: body.access_token })).body).toMatchObject({
      active: true,
      client_id: agent.clientId,
      iss: service.issuer,
      scope: 'openid courses:read',
      token_type: 'Bearer',
      sub: expect.stringMatching(/^acc_/),
    })
    expect((await agent.post('/api/oauth/introspect', { token: body.refresh_token })).body.active).toBe(true)
  })

  test('reports a used refresh token as inactive, and revoking it still ends the grant', async () => {
    const { body: first } = await agent.tokens(person)
    const { body: second } = await agent.refresh(first.refresh_token)
    expect((await agent.post('/api/oauth/introspect', { token: first.refresh_token })).body).toEqual({ active: false })
    expect((await agent.post('/api/oauth/introspect', { token: second.refresh_token })).body.active).toBe(true)
    await agent.post('/api/oauth/revoke', { token: first.refresh_token })
    expect(await account(second.access_token)).toBe(401)
    expect((await agent.refresh(second.refresh_token)).body.error).toBe('invalid_grant')
  })

  test('reveals nothing to another client: the same response as for text that is not a token (D28)', async () => {
    const { body } = await agent.tokens(person)
    const stranger = await createAgent(service.issuer, { token_endpoint_auth_method: 'client_secret_post' })
    expect((await stranger.post('/api/oauth/introspect', { token: body.access_token })).body).toEqual({ active: false })
    const { body: bound } = await agent.tokens(person, { resource: reports, scope: 'courses:read' })
    expect((await stranger.post('/api/oauth/introspect', { token: bound.access_token })).body).toEqual({ active: false })
    expect((await stranger.post('/api/oauth/introspect', { token: 'nonsense' })).body).toEqual({ active: false })
  })

  test('describes to a resource server the tokens that are bound to it, and no others', async () => {
    const server = agentOf(service.issuer, 'reports-server', secret, 'https://reports.example.com/callback')
    const { body: bound } = await agent.tokens(person, { resource: reports, scope: 'courses:read' })
    expect((await server.post('/api/oauth/introspect', { token: bound.access_token })).body).toMatchObject({
      active: true,
      aud: reports,
      scope: 'courses:read',
    })
    expect(await account(bound.access_token)).toBe(401)
    const { body: unbound } = await agent.tokens(person)
    expect((await server.post('/api/oauth/introspect', { token: unbound.access_token })).body).toEqual({ active: false })
  })

  test('says what the person can do now, not what they could when the token was issued (D18)', async () => {
    const { body } = await agent.tokens(
      personCalled('admin@example.org'),
      { scope: 'openid courses:read courses:write' },
      { scopes: 'all' },
    )
    const scopeNow = async () => (await agent.post('/api/oauth/introspect', { token: body.access_token })).body.scope
    expect(await scopeNow()).toBe('openid courses:read courses:write')
    await service.database.sql.query(
      "UPDATE staff SET status = 'removed' WHERE person_id = (SELECT id FROM person WHERE email = 'admin@example.org')",
    )
    expect(await scopeNow()).toBe('openid courses:read')
    await service.database.sql.query("UPDATE account SET disabled_at = now() WHERE email = 'admin@example.org'")
    expect((await agent.post('/api/oauth/introspect', { token: body.access_token })).body).toEqual({ active: false })
  })
})
