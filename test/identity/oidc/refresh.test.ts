// Proves RFC 9700 section 4.14: Refresh tokens of public clients rotate
// Proves RFC 6749 section 6: A refresh gets what is both requested and granted; a repetition is compared by its effect, and one with another effect ends nothing
// Proves RFC 8707 section 2.2: Two resources in a token request are refused: a bound token keeps its binding
// Proves RFC 9700 section 4.14: A refresh token belongs to its client, and scope never widens
// Proves RFC 9700 section 4.14: A used refresh token keeps only what detects its reuse

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Agent, answer, createAgent, personCalled, withToken } from '../../support/agent.ts'
import type { Person } from '../../support/person.ts'
import { until } from '../../support/poll.ts'
import { type ServiceOptions, startService, type TestService } from '../../support/service.ts'

/** A separate service, because the window differs. */
async function withWindow(
  refresh_window_seconds: number,
  { redis }: Pick<ServiceOptions, 'redis'> = {},
): Promise<{ service: TestService; agent: Agent; person: Person }> {
  const service = await startService({ oauth: { refresh_window_seconds }, ...(redis !== undefined && { redis }) })
  await service.addPerson({ email: 'learner@example.org' })
  return { service, agent: await createAgent(service.issuer), person: personCalled('learner@example.org') }
}

/** The parameters of a refresh. Resources are paths at the origin; `bound` is the one that the code was redeemed for. */
interface Repetition {
  scope?: string
  resource?: string
  bound?: string
}

const events = async (service: TestService, event: string): Promise<number> =>
  (
    (await service.database.sql.query<{ n: number }>('SELECT count(*)::int AS n FROM audit_log WHERE event = $1', [event]))[0] as {
      n: number
    }
  ).n

describe('within the window', () => {
  let service: TestService
  let agent: Agent
  let person: Person
  beforeAll(async () => {
    ;({ service, agent, person } = await withWindow(60))
  })
  afterAll(() => service.stop())

  test('a refresh rotates the token, and the new pair works', async () => {
    const { body: first } = await agent.tokens(person)
    const { status, body: second } = await agent.refresh(first.refresh_token)
    expect(status).toBe(200)
    expect(second.refresh_token).not.toBe(first.refresh_token)
    expect(second.scope).toBe(first.scope)
    expect((await withToken(`${service.issuer}/api/v1/account`, second.access_token)).status).toBe(200)
    expect((await agent.refresh(second.refresh_token)).status).toBe(200)
  })

  test('the same token presented again gets the same response, and both uses are audited', async () => {
    const { body: first } = await agent.tokens(person)
    const before = await events(service, 'refresh_token.answered_again')
    const second = await agent.refresh(first.refresh_token)
    const again = await agent.refresh(first.refresh_token)
    expect(again.status).toBe(200)
    expect(again.body).toEqual(second.body)
    expect(again.headers.get('cache-control')).toBe('no-store')
    expect(await events(service, 'refresh_token.answered_again')).toBe(before + 1)
    expect((await agent.refresh(second.body.refresh_token)).status).toBe(200)
  })

  test('20 concurrent requests all get the same successor, and only one successor is stored (D3)', async () => {
    const { body: first } = await agent.tokens(person)
    const answers = await Promise.all(Array.from({ length: 20 }, () => agent.refresh(first.refresh_token)))
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
  })

  test('the spent token from another client is reuse: refused, and the grant ends', async () => {
    const { body: first } = await agent.tokens(person)
    const { body: second } = await agent.refresh(first.refresh_token)
    const before = await events(service, 'refresh_token.reused')
    const refused = await (await createAgent(service.issuer)).refresh(first.refresh_token)
    expect([refused.status, refused.body.error]).toEqual([400, 'invalid_grant'])
    expect(refused.body).not.toHaveProperty('access_token')
    expect((await agent.refresh(second.refresh_token)).body.error).toBe('invalid_grant')
    expect((await withToken(`${service.issuer}/api/v1/account`, second.access_token)).status).toBe(401)
    expect(await events(service, 'refresh_token.reused')).toBe(before + 1)
  })

  const whole = 'openid profile email'
  test.each<[string, Repetition, Repetition]>([
    ['no scope, then all that was granted', {}, { scope: whole }],
    ['all that was granted, then no scope', { scope: whole }, {}],
    ['another order, and a scope twice', { scope: whole }, { scope: 'email  openid profile email ' }],
    ['offline_access in addition', {}, { scope: `${whole} offline_access` }],
    ['a scope that was not granted in addition', { scope: whole }, { scope: `${whole} courses:write` }],
    ['an unknown scope in addition', { scope: 'email' }, { scope: 'email no:such:scope "quoted" ä' }],
    ['an empty scope and an empty resource', {}, { scope: '', resource: '' }],
    ['the resource that the token is bound to', { bound: '/mcp' }, { resource: '/mcp' }],
    ['no resource, where the first named the bound one', { bound: '', resource: '' }, {}],
    ['the bound resource with a slash', { bound: '', resource: '' }, { resource: '/' }],
  ])('a repetition that means the same gets the same response: %s', async (_name, once, again) => {
    const at = (path: string | undefined) => (path === undefined ? undefined : `${service.issuer}${path}`)
    const { body: first } = await agent.tokens(person, { scope: whole, resource: at(once.bound) })
    const form = ({ scope, resource }: Repetition) => ({ scope, resource: resource === '' && scope === '' ? '' : at(resource) })
    const second = await agent.refresh(first.refresh_token, form(once))
    const repeated = await agent.refresh(first.refresh_token, form(again))
    expect([second.status, repeated.status]).toEqual([200, 200])
    expect(repeated.body).toEqual(second.body)
    expect((await agent.refresh(second.body.refresh_token)).status).toBe(200)
  })

  test.each<[string, Repetition, Repetition]>([
    ['a narrower scope', {}, { scope: 'openid' }],
    ['a wider scope', { scope: 'openid' }, {}],
    ['a scope of which nothing was granted', {}, { scope: 'no:such:scope' }],
    ['a resource, where the first was not bound', {}, { resource: '' }],
    ['no resource, where the first was bound by its request', { resource: '' }, {}],
    ['another resource', { resource: '' }, { resource: '/mcp' }],
    ['a resource that does not exist', {}, { resource: '/elsewhere' }],
  ])('a repetition with another effect is refused and ends nothing: %s', async (_name, once, again) => {
    const { body: first } = await agent.tokens(person, { scope: whole })
    const form = ({ scope, resource }: Repetition) => ({
      scope,
      resource: resource === undefined ? undefined : `${service.issuer}${resource}`,
    })
    const { body: second } = await agent.refresh(first.refresh_token, form(once))
    const before = await events(service, 'refresh_token.reused')
    const refused = await agent.refresh(first.refresh_token, form(again))
    expect([refused.status, refused.body.error]).toEqual([400, 'invalid_grant'])
    expect(refused.body.error_description).toMatch(/refresh_token was used a moment ago with another scope or resource/)
    expect(refused.body).not.toHaveProperty('access_token')
    expect(await events(service, 'refresh_token.reused')).toBe(before)
    expect((await agent.refresh(first.refresh_token, form(once))).body).toEqual(second)
    expect((await withToken(`${service.issuer}/api/v1/account`, second.access_token)).status).not.toBe(401)
    expect((await agent.refresh(second.refresh_token)).status).toBe(200)
  })

  test('of concurrent requests with two effects one effect wins, each gets it or is refused, and the grant lives', async () => {
    const { body: first } = await agent.tokens(person, { scope: whole })
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => agent.refresh(first.refresh_token, { scope: at % 2 === 0 ? whole : 'openid' })),
    )
    const won = answers.filter(({ status }) => status === 200)
    expect(won).toHaveLength(10)
    expect(new Set(won.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    expect((await agent.refresh(won[0]?.body.refresh_token)).status).toBe(200)
  })

  test('after the grant has ended the earlier answer is not given again', async () => {
    const { body: first } = await agent.tokens(person)
    const { body: second } = await agent.refresh(first.refresh_token)
    await agent.post('/api/oauth/revoke', { token: second.refresh_token })
    expect((await agent.refresh(first.refresh_token)).body.error).toBe('invalid_grant')
  })

  test('the kept answer opens only with the spent token: the database alone reveals no token (D4)', async () => {
    const { body: first } = await agent.tokens(person)
    const { body: second } = await agent.refresh(first.refresh_token)
    const rows = await service.database.sql.query<{ text: string }>('SELECT row_to_json(a)::text AS text FROM oidc_artifact a')
    const dump = rows.map(({ text }) => text).join()
    expect(dump).toContain('successor')
    for (const value of [first.refresh_token, second.refresh_token, second.access_token, second.id_token]) expect(dump).not.toContain(value)
  })

  test.each([
    ['courses:read', 'courses:read'],
    ['openid courses:read school:read courses:write', 'openid courses:read'],
    ['courses:read offline_access', 'courses:read'],
    ['  courses:read   no:such:scope ', 'courses:read'],
    ['courses:read "quoted" ä', 'courses:read'],
    ['', 'openid courses:read'],
    [' ', 'openid courses:read'],
  ])('a refresh with scope=%j gets what was requested and granted (RFC 6749 section 6)', async (scope, expected) => {
    const { body: first } = await agent.tokens(person, { scope: 'openid courses:read' })
    const { status, body } = await agent.refresh(first.refresh_token, { scope })
    expect([status, body.scope]).toEqual([200, expected])
    const introspected = await agent.post('/api/oauth/introspect', { token: body.access_token })
    expect(introspected.body.scope).toBe(expected)
    // The refresh token keeps all that was granted, and never more.
    expect((await agent.refresh(body.refresh_token)).body.scope).toBe('openid courses:read')
  })

  test.each(['school:read courses:write', 'offline_access', 'no:such:scope', '"', 'ä'])(
    'a refresh with scope=%j, of which nothing was granted, is invalid_scope and spends nothing',
    async (scope) => {
      const { body: first } = await agent.tokens(person, { scope: 'openid courses:read' })
      const refused = await agent.refresh(first.refresh_token, { scope })
      expect([refused.status, refused.body.error]).toEqual([400, 'invalid_scope'])
      expect(refused.body.error_description).toMatch(/scope names nothing that the person allowed/)
      expect((await agent.refresh(first.refresh_token)).status).toBe(200)
    },
  )

  test('an app whose person allowed less than it requested refreshes with the scope that it requested', async () => {
    const scope = 'openid profile courses:read courses:write'
    const { body: first } = await agent.tokens(person, { scope }, { scopes: ['profile', 'courses:read'] })
    const { status, body } = await agent.refresh(first.refresh_token, { scope })
    expect(status).toBe(200)
    expect(body.scope).toBe(first.scope)
    expect(body.scope).not.toContain('courses:write')
  })

  test('two resources are refused, because a token is bound to one: a bound token does not lose its binding', async () => {
    const { body: first } = await agent.tokens(person, { resource: `${service.issuer}/mcp` })
    const form = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: first.refresh_token, client_id: agent.clientId })
    for (const path of ['/mcp', '']) form.append('resource', service.issuer + path)
    const refused = await answer(fetch(`${service.issuer}/api/oauth/token`, { method: 'POST', body: form }))
    expect([refused.status, refused.body.error]).toEqual([400, 'invalid_target'])
    form.delete('resource')
    for (const path of ['/mcp', '/mcp/']) form.append('resource', service.issuer + path)
    const twice = await answer(fetch(`${service.issuer}/api/oauth/token`, { method: 'POST', body: form }))
    expect(twice.status).toBe(200)
    const introspected = await agent.post('/api/oauth/introspect', { token: twice.body.access_token })
    expect(introspected.body.aud).toBe(`${service.issuer}/mcp`)
  })

  test('a token of one client is nothing to another (D20)', async () => {
    const { body } = await agent.tokens(person)
    const stolen = await (await createAgent(service.issuer)).refresh(body.refresh_token)
    expect([stolen.status, stolen.body.error]).toEqual([400, 'invalid_grant'])
    expect((await agent.refresh(body.refresh_token)).status).toBe(200)
  })

  test('a scope that the role has lost is in neither the new access token nor its scope, and is back with the role', async () => {
    const { personId } = await service.addPerson({ email: 'demoted@example.org', role: 'admin' })
    const setRole = (role: string) => service.database.sql.query('UPDATE staff SET role = $2 WHERE person_id = $1', [personId, role])
    const scope = 'openid courses:read appearance:write'
    const { body: first } = await agent.tokens(personCalled('demoted@example.org'), { scope }, { scopes: 'all' })
    const names = (text: string): string[] => text.split(' ').toSorted()
    expect(names(first.scope)).toEqual(names(scope))
    await setRole('lecturer')
    const { body: second } = await agent.refresh(first.refresh_token)
    expect(names(second.scope)).toEqual(['courses:read', 'openid'])
    await setRole('admin')
    const { body: third } = await agent.refresh(second.refresh_token)
    expect(names(third.scope)).toEqual(names(scope))
    // A role that comes back does not widen a token that was issued without it.
    expect(names((await agent.post('/api/oauth/introspect', { token: second.access_token })).body.scope)).toEqual([
      'courses:read',
      'openid',
    ])
  })

  test('a disabled person cannot refresh, and the access token is immediately invalid (D34)', async () => {
    await service.addPerson({ email: 'leaver@example.org' })
    const { body } = await agent.tokens(personCalled('leaver@example.org'))
    await service.database.sql.query("UPDATE account SET disabled_at = now() WHERE email = 'leaver@example.org'")
    expect((await withToken(`${service.issuer}/api/v1/account`, body.access_token)).status).toBe(401)
    expect((await agent.refresh(body.refresh_token)).body.error).toBe('invalid_grant')
  })
})

test('after the window the spent token ends the grant', async () => {
  const { service, agent, person } = await withWindow(1)
  try {
    const { body: first } = await agent.tokens(person)
    const { body: second } = await agent.refresh(first.refresh_token)
    expect((await agent.refresh(first.refresh_token)).body).toEqual(second)
    const isOver = async () => (await agent.refresh(first.refresh_token)).body.error === 'invalid_grant'
    await until(isOver, { what: 'the window to end' })
    expect((await agent.refresh(second.refresh_token)).body.error).toBe('invalid_grant')
    expect((await withToken(`${service.issuer}/api/v1/account`, second.access_token)).status).toBe(401)
  } finally {
    await service.stop()
  }
})

// With Redis the response expires there.
test('the answer that was kept in the database is gone after the window', async () => {
  const { service, agent, person } = await withWindow(1, { redis: false })
  try {
    const { body: first } = await agent.tokens(person)
    await agent.refresh(first.refresh_token)
    const forget = service.app.jobs.find(({ name }) => name === 'forget_answers')
    const kept = async () => (await service.database.sql.query('SELECT 1 FROM oidc_artifact WHERE successor IS NOT NULL')).length
    // The code has an answer, too.
    expect(await kept()).toBe(2)
    await until(async () => (await forget?.run()) !== undefined && (await kept()) === 0, { what: 'the answers to be forgotten' })
  } finally {
    await service.stop()
  }
})

test.each([0, 1])('a refresh token that was used keeps nothing but what notices its reuse (window of %i s)', async (window) => {
  const { service, agent, person } = await withWindow(window, { redis: false })
  try {
    const forget = service.app.jobs.find(({ name }) => name === 'forget_answers')
    const payloads = async () =>
      (
        await service.database.sql.query<{ payload: string }>(
          `SELECT payload || coalesce(successor, '') AS payload FROM oidc_artifact WHERE model = 'RefreshToken' AND consumed_at IS NOT NULL`,
        )
      ).map(({ payload }) => payload)
    const use = async () => {
      const { body: first } = await agent.tokens(person)
      const { body: second } = await agent.refresh(first.refresh_token)
      return { first, second }
    }
    const [replayed, revoked] = [await use(), await use()]
    const isForgotten = async () => {
      await forget?.run()
      return (await payloads()).every((payload) => payload === '')
    }
    await until(isForgotten, { what: 'the payloads and responses to be cleared' })
    expect(await payloads()).toHaveLength(2)
    for (const { first } of [replayed, revoked]) {
      expect((await agent.post('/api/oauth/introspect', { token: first.refresh_token })).body).toEqual({ active: false })
    }
    expect((await agent.refresh(replayed.first.refresh_token)).body.error).toBe('invalid_grant')
    expect((await agent.refresh(replayed.second.refresh_token)).body.error).toBe('invalid_grant')
    expect((await agent.post('/api/oauth/revoke', { token: revoked.first.refresh_token })).status).toBe(200)
    expect((await agent.refresh(revoked.second.refresh_token)).body.error).toBe('invalid_grant')
  } finally {
    await service.stop()
  }
})

test('with the window off, at most one of 20 concurrent requests succeeds, and reuse revokes the grant', async () => {
  const { service, agent, person } = await withWindow(0)
  try {
    const { body: first } = await agent.tokens(person)
    const answers = await Promise.all(Array.from({ length: 20 }, () => agent.refresh(first.refresh_token)))
    const won = answers.filter(({ status }) => status === 200)
    expect(won).toHaveLength(1)
    expect((await agent.refresh(won[0]?.body.refresh_token)).body.error).toBe('invalid_grant')
  } finally {
    await service.stop()
  }
})
