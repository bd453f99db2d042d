import { beforeAll, describe, expect, test } from 'vitest'
import { agentOf, createAgent, personCalled, withToken } from '../../support/agent.ts'
import { duringTests } from '../../support/duringTests.ts'
import { operatorEvents, placesToTest } from './cli.ts'

describe.each(await placesToTest())('ending access, with a service running on $name', ({ open }) => {
  const place = duringTests(open)
  beforeAll(async () => {
    for (const email of ['ada@example.org', 'bob@example.org', 'eve@example.org']) await place.service.addPerson({ email })
    await place.service.addPerson({ email: 'owner@example.org', role: 'owner' })
  })

  const statusOf = async (token: string): Promise<number> => (await withToken(`${place.service.issuer}/api/v1/account`, token)).status
  const changesOf = (type: string) =>
    place.service.database.sql.query<{ action: string; version: number }>(
      'SELECT action, version FROM change_log WHERE type = $1 ORDER BY transaction, id',
      [type],
    )

  test('a rotated secret works together with the earlier one until the overlap ends, and is shown once', async () => {
    const redirect = 'https://sync.example.com/callback'
    const added = await place.cli(['integrations', 'add', '--name', 'Sync', '--client-id', 'sync', '--redirect-uri', redirect, '--json'])
    const first = added.json().client_secret
    const agent = agentOf(place.service.issuer, 'sync', first, redirect)
    let { body } = await agent.tokens(personCalled('ada@example.org'))
    const refreshWith = async (client_secret: string) => {
      const answer = await agent.refresh(body.refresh_token, { client_secret })
      if (answer.status === 200) body = answer.body
      return answer.status
    }
    const introspectWith = async (client_secret: string) =>
      (await agent.post('/api/oauth/introspect', { token: body.access_token, client_secret })).status

    const rotated = await place.cli(['integrations', 'rotate-secret', 'sync', '--overlap', '48', '--json'])
    expect(rotated, rotated.err).toMatchObject({ exitCode: 0, err: expect.stringContaining('not shown again') })
    const { client_secret: second, previous_secret_until: until } = rotated.json()
    expect(new Date(until).getTime()).toBeGreaterThan(Date.now() + 47 * 3_600_000)
    expect(second).not.toBe(first)
    for (const accepted of [first, second]) {
      expect(await refreshWith(accepted)).toBe(200)
      expect(await introspectWith(accepted)).not.toBe(401)
    }
    expect(await refreshWith('wrong')).toBe(401)
    expect(await introspectWith('wrong')).toBe(401)
    const shown = await place.cli(['clients', 'show', 'sync', '--json'])
    expect(shown.json()).toMatchObject({ has_secret: true, previous_secret_until: until })
    for (const text of [shown.out, (await place.cli(['integrations', 'list', '--json'])).out]) expect(text).not.toMatch(/sha256:/)

    // The overlap ends.
    await place.service.database.sql.query(
      `UPDATE oidc_client SET metadata = jsonb_set(metadata, '{previous_client_secret,until}', '"2020-01-01T00:00:00Z"') WHERE id = 'sync'`,
    )
    expect(await refreshWith(first)).toBe(401)
    expect(await refreshWith(second)).toBe(200)
    const again = await place.cli(['integrations', 'rotate-secret', 'sync', '--overlap', '0', '--yes', '--json'])
    expect(again.json().previous_secret_until).toBeNull()
    expect(await refreshWith(second)).toBe(401)
    expect(await refreshWith(again.json().client_secret)).toBe(200)
    const events = await operatorEvents(place.service)
    expect(events.filter(({ event }) => event === 'operator.secret_rotated')).toHaveLength(2)
    for (const secret of [first, second]) expect(JSON.stringify(events)).not.toContain(secret)
  })

  test('only the secret of an integration can be rotated', async () => {
    const { clientId } = await createAgent(place.service.issuer, { token_endpoint_auth_method: 'client_secret_post' })
    expect(await place.cli(['integrations', 'rotate-secret', clientId])).toMatchObject({ exitCode: 1, out: '' })
    expect(await place.cli(['integrations', 'rotate-secret', 'nothing'])).toMatchObject({ exitCode: 1, out: '' })
    for (const wrong of ['-1', '1.5', 'soon', '99999'])
      expect(await place.cli(['integrations', 'rotate-secret', 'sync', '--overlap', wrong])).toMatchObject({ exitCode: 2, out: '' })
  })

  test('the grants of a client, of a person and from before a time are revoked, and each is in the audit trail', async () => {
    const [one, two] = [await createAgent(place.service.issuer), await createAgent(place.service.issuer)]
    const ada = (await one.tokens(personCalled('ada@example.org'))).body.access_token
    const bob = (await one.tokens(personCalled('bob@example.org'))).body.access_token
    const eve = (await two.tokens(personCalled('eve@example.org'))).body.access_token
    const bobToo = (await two.tokens(personCalled('bob@example.org'))).body.access_token
    expect(await place.cli(['grants', 'revoke', '--client', one.clientId], { answers: ['n'] })).toMatchObject({ exitCode: 1 })
    expect(await statusOf(ada)).toBe(200)

    const both = await place.cli(['grants', 'revoke', '--client', one.clientId, '--person', 'ada@example.org', '--yes'])
    expect(both).toMatchObject({ exitCode: 0, out: '1 grant is revoked, and so are the tokens\n' })
    expect(await Promise.all([ada, bob, eve].map(statusOf))).toEqual([401, 200, 200])
    expect(await place.cli(['grants', 'revoke', '--client', one.clientId, '--yes'])).toMatchObject({ exitCode: 0 })
    expect(await Promise.all([bob, bobToo, eve].map(statusOf))).toEqual([401, 200, 200])
    expect(await place.cli(['grants', 'revoke', '--person', 'bob@example.org', '--yes'])).toMatchObject({ exitCode: 0 })
    expect(await Promise.all([bobToo, eve].map(statusOf))).toEqual([401, 200])

    const early = ['grants', 'revoke', '--all-before', '2020-01-01T00:00:00Z', '--yes']
    expect(await place.cli(early)).toMatchObject({ exitCode: 0, out: expect.stringContaining('no grants') })
    expect(await statusOf(eve)).toBe(200)
    const soon = new Date(Date.now() + 60_000).toISOString()
    expect(await place.cli(['grants', 'revoke', '--all-before', soon, '--yes'])).toMatchObject({ exitCode: 0 })
    expect(await statusOf(eve)).toBe(401)
    expect((await place.cli(['grants', 'list', '--json'])).json()).toEqual([])
    const ended = await place.service.database.sql.query(
      `SELECT 1 FROM audit_log a JOIN oidc_grant g ON g.id = a.grant_id WHERE a.event = 'operator.grant_revoked' AND g.account_id::text = a.account_id`,
    )
    expect(ended.length).toBeGreaterThanOrEqual(4)
    // People can connect again.
    expect(await statusOf((await two.tokens(personCalled('eve@example.org'))).body.access_token)).toBe(200)
  })

  test.each([
    ['nothing to revoke', []],
    ['an id and a selection', ['some-grant', '--client', 'x']],
    ['a day without a time zone', ['--all-before', '2026-11-01']],
    ['a time that does not exist', ['--all-before', '2026-13-01T00:00:00Z']],
  ])('%s is a usage error', async (_what, args) => {
    const { exitCode, out, err } = await place.cli(['grants', 'revoke', '--yes', ...args])
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' })
    expect(err.trim()).not.toBe('')
  })

  test('a client that was disabled and enabled has no live grants of before', async () => {
    const agent = await createAgent(place.service.issuer)
    await agent.tokens(personCalled('ada@example.org'))
    const grants = async () => (await place.cli(['clients', 'show', agent.clientId, '--json'])).json().live_grants
    expect(await grants()).toBe(1)
    await place.cli(['clients', 'disable', agent.clientId, '--yes'])
    await place.cli(['clients', 'enable', agent.clientId])
    expect(await grants()).toBe(0)
    await agent.tokens(personCalled('ada@example.org'))
    expect(await grants()).toBe(1)
  })

  test('created people and changed roles are in the change feed', async () => {
    const args = ['people', 'create', 'hired@example.org', '--name', 'Hired', '--role', 'admin', '--password-stdin']
    const before = await changesOf('staff')
    expect(await place.cli(args, { input: 'seven lanterns in the fog\n' })).toMatchObject({ exitCode: 0 })
    await place.cli(['people', 'set-role', 'hired@example.org', 'lecturer'])
    await place.cli(['people', 'set-role', 'hired@example.org', 'learner'])
    expect((await changesOf('staff')).slice(before.length)).toEqual([
      { action: 'created', version: 1 },
      { action: 'updated', version: 2 },
      { action: 'deleted', version: 3 },
    ])
    expect(await place.service.database.sql.query('SELECT DISTINCT actor_kind FROM change_log')).toContainEqual({ actor_kind: 'operator' })
    const learner = ['people', 'create', 'new@example.org', '--name', 'New', '--password-stdin']
    const [students, members] = [await changesOf('student'), await changesOf('member')]
    await place.cli(learner, { input: 'seven lanterns in the fog\n' })
    expect((await changesOf('student')).slice(students.length)).toEqual([{ action: 'created', version: 1 }])
    expect((await changesOf('member')).slice(members.length)).toEqual([{ action: 'created', version: 1 }])
  })

  test('a person is erased with login, grants and name; the only owner is not, and a second run says so', async () => {
    const agent = await createAgent(place.service.issuer)
    await place.service.addPerson({ email: 'gone@example.org' })
    const token = (await agent.tokens(personCalled('gone@example.org'))).body.access_token
    const erase = (...more: string[]) => place.cli(['people', 'erase', ...more])
    expect(await place.cli(['people', 'erase', 'gone@example.org'], { answers: ['no'] })).toMatchObject({ exitCode: 1 })
    expect(await statusOf(token)).toBe(200)
    expect(await erase('gone@example.org', '--yes')).toMatchObject({ exitCode: 0, out: 'gone@example.org is erased\n' })
    expect(await statusOf(token)).toBe(401)
    const left = await place.service.database.sql.query(
      `SELECT 1 FROM account WHERE email LIKE 'gone@%' UNION ALL SELECT 1 FROM person WHERE email LIKE 'gone@%' OR name LIKE 'gone%'`,
    )
    expect(left).toEqual([])
    expect((await changesOf('student')).at(-1)).toMatchObject({ action: 'deleted' })
    expect(await erase('gone@example.org', '--yes')).toMatchObject({ exitCode: 1, err: expect.stringContaining('already erased') })
    expect(await erase('not an address', '--yes')).toMatchObject({ exitCode: 2 })
    expect(await erase('owner@example.org', '--yes')).toMatchObject({ exitCode: 1, err: expect.stringContaining('only owner') })
    expect((await operatorEvents(place.service)).filter(({ event }) => event === 'operator.person_erased')).toHaveLength(1)
    expect(JSON.stringify(await operatorEvents(place.service))).not.toContain('gone@example.org')
  })
})
