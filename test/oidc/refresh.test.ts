import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Agent, createAgent, personCalled, withToken } from '../support/agent.ts'
import type { Person } from '../support/person.ts'
import { until } from '../support/poll.ts'
import { startService, type TestService } from '../support/service.ts'

/** A separate service, because the window differs. */
async function withWindow(refresh_window_seconds: number): Promise<{ service: TestService; agent: Agent; person: Person }> {
  const service = await startService({ oauth: { refresh_window_seconds } })
  await service.addPerson({ email: 'learner@example.org' })
  return { service, agent: await createAgent(service.issuer), person: personCalled('learner@example.org') }
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

  test.each([
    ['another scope', async (token: string) => agent.refresh(token, { scope: 'openid' })],
    ['another resource', async (token: string) => agent.refresh(token, { resource: service.issuer })],
    ['another client', async (token: string) => (await createAgent(service.issuer)).refresh(token)],
  ])('the spent token with %s is reuse: refused, and the grant ends', async (_name, present) => {
    const { body: first } = await agent.tokens(person)
    const { body: second } = await agent.refresh(first.refresh_token)
    const before = await events(service, 'refresh_token.reused')
    const refused = await present(first.refresh_token)
    expect([refused.status, refused.body.error]).toEqual([400, 'invalid_grant'])
    expect(refused.body).not.toHaveProperty('access_token')
    expect((await agent.refresh(second.refresh_token)).body.error).toBe('invalid_grant')
    expect((await withToken(`${service.issuer}/api/v1/account`, second.access_token)).status).toBe(401)
    expect(await events(service, 'refresh_token.reused')).toBe(before + 1)
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

  test('scope may be narrowed and never widened', async () => {
    const { body: first } = await agent.tokens(person, { scope: 'openid courses:read' })
    const wide = await agent.refresh(first.refresh_token, { scope: 'openid courses:read school:read' })
    expect([wide.status, wide.body.error]).toEqual([400, 'invalid_scope'])
    const narrow = await agent.refresh(first.refresh_token, { scope: 'courses:read' })
    expect(narrow.body.scope).toBe('courses:read')
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
    const isOver = async () =>
      (await service.database.sql.query("SELECT 1 FROM oidc_artifact WHERE model = 'RefreshToken' AND successor_until < now()")).length ===
      1
    await until(isOver, { what: 'the window to end' })
    expect((await agent.refresh(first.refresh_token)).body.error).toBe('invalid_grant')
    expect((await agent.refresh(second.refresh_token)).body.error).toBe('invalid_grant')
    expect((await withToken(`${service.issuer}/api/v1/account`, second.access_token)).status).toBe(401)
  } finally {
    await service.stop()
  }
})

test('the answer that was kept is gone after the window', async () => {
  const { service, agent, person } = await withWindow(1)
  try {
    const { body: first } = await agent.tokens(person)
    await agent.refresh(first.refresh_token)
    const forget = service.app.jobs.find(({ name }) => name === 'forget_answers')
    await until(async () => (await forget?.run())?.forgotten === 1, { what: 'the answer to be forgotten' })
    const kept = await service.database.sql.query('SELECT 1 FROM oidc_artifact WHERE successor IS NOT NULL')
    expect(kept).toEqual([])
  } finally {
    await service.stop()
  }
})

test.each([0, 1])('a refresh token that was used keeps nothing but what notices its reuse (window of %i s)', async (window) => {
  const { service, agent, person } = await withWindow(window)
  try {
    const forget = service.app.jobs.find(({ name }) => name === 'forget_answers')
    const payloads = async () =>
      (
        await service.database.sql.query<{ payload: string }>(
          `SELECT payload FROM oidc_artifact WHERE model = 'RefreshToken' AND consumed_at IS NOT NULL`,
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
    await until(isForgotten, { what: 'the payloads to be cleared' })
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
