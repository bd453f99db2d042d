import { beforeAll, describe, expect, test } from 'vitest'
import { createAgent, personCalled, withToken } from '../../support/agent.ts'
import { duringTests } from '../../support/duringTests.ts'
import type { Person } from '../../support/person.ts'
import { operatorEvents, placesToTest } from './cli.ts'

describe.each(await placesToTest())('ending tokens, with a service running on $name', ({ open }) => {
  const place = duringTests(open)
  const agent = duringTests(() => createAgent(place.service.issuer))
  let person: Person
  beforeAll(async () => {
    await place.service.addPerson({ email: 'ada@example.org' })
    await place.service.addPerson({ email: 'bob@example.org' })
    person = personCalled('ada@example.org')
  })

  const account = async (token: string): Promise<number> => (await withToken(`${place.service.issuer}/api/v1/account`, token)).status
  const tokensOf = async (one: Person, by = agent): Promise<{ access_token: string; refresh_token: string }> => {
    const { body } = await by.tokens(one)
    expect(await account(body.access_token)).toBe(200)
    return body
  }
  const lastEvent = async () => (await operatorEvents(place.service)).at(-1)

  test('disabling a client immediately invalidates its tokens, and enabling it does not restore them', async () => {
    const own = await createAgent(place.service.issuer)
    const tokens = await tokensOf(person, own)
    const others = await tokensOf(person)
    const code = await own.send(person)
    expect(await place.cli(['clients', 'disable', own.clientId, '--yes'])).toMatchObject({ exitCode: 0 })
    expect(await lastEvent()).toMatchObject({ event: 'operator.client_disabled', details: { operator: 'ops' } })
    expect(await account(tokens.access_token)).toBe(401)
    expect((await own.refresh(tokens.refresh_token)).body.error).toBe('invalid_client')
    expect(await account(others.access_token)).toBe(200)

    expect(await place.cli(['clients', 'enable', own.clientId])).toMatchObject({ exitCode: 0 })
    expect(await account(tokens.access_token)).toBe(401)
    expect((await own.refresh(tokens.refresh_token)).body.error).toBe('invalid_grant')
    expect((await own.redeem(code)).body.error).toBe('invalid_grant')
    await tokensOf(person, own)
  })

  test('deleting a client invalidates its tokens and removes it', async () => {
    const own = await createAgent(place.service.issuer)
    const tokens = await tokensOf(person, own)
    expect(await place.cli(['clients', 'delete', own.clientId, '--yes'])).toMatchObject({ exitCode: 0 })
    expect(await account(tokens.access_token)).toBe(401)
    expect((await own.refresh(tokens.refresh_token)).body.error).toBe('invalid_client')
    expect(await place.cli(['clients', 'show', own.clientId])).toMatchObject({ exitCode: 1 })
    expect((await place.cli(['grants', 'list', '--client', own.clientId, '--json'])).json()).toEqual([])
  })

  test('disabling a person revokes their grants and signs them out; enabling restores neither', async () => {
    const bob = personCalled('bob@example.org')
    const [one, two] = [await tokensOf(bob), await tokensOf(bob, await createAgent(place.service.issuer))]
    const adas = await tokensOf(person)
    expect((await bob.open(agent.authorizationUrl().href)).html).not.toContain('type="password"')

    const disabled = await place.cli(['people', 'disable', 'BOB@example.org', '--yes'])
    expect(disabled, disabled.err).toMatchObject({ exitCode: 0, out: expect.stringContaining('2 grants are revoked') })
    for (const { access_token, refresh_token } of [one, two]) {
      expect(await account(access_token)).toBe(401)
      expect((await agent.refresh(refresh_token)).status).toBe(400)
    }
    await expect(agent.send(personCalled('bob@example.org'))).rejects.toThrow()
    expect(await account(adas.access_token)).toBe(200)

    expect(await place.cli(['people', 'enable', 'bob@example.org'])).toMatchObject({ exitCode: 0 })
    for (const { access_token } of [one, two]) expect(await account(access_token)).toBe(401)
    expect((await agent.refresh(one.refresh_token)).body.error).toBe('invalid_grant')
    expect((await bob.open(agent.authorizationUrl().href)).html).toContain('type="password"')
    await tokensOf(personCalled('bob@example.org'))
  })

  test('the list of grants can be limited to those of one person', async () => {
    await tokensOf(person)
    await tokensOf(personCalled('bob@example.org'))
    const emailsIn = async (...options: string[]): Promise<Set<string>> =>
      new Set((await place.cli(['grants', 'list', '--json', ...options])).json().map(({ email }: { email: string }) => email))
    expect(await emailsIn()).toEqual(new Set(['ada@example.org', 'bob@example.org']))
    expect(await emailsIn('--person', 'ada@example.org')).toEqual(new Set(['ada@example.org']))
  })

  test('revoking a grant immediately invalidates its tokens and keeps the others', async () => {
    const tokens = await tokensOf(person)
    const listed = (await place.cli(['grants', 'list', '--person', 'ada@example.org', '--json'])).json()
    const others = await tokensOf(person)
    const { id } = listed[0]
    expect(listed[0]).toEqual({
      id: expect.any(String),
      account_id: expect.stringMatching(/^acc_/),
      email: 'ada@example.org',
      client_id: agent.clientId,
      client_name: 'Test agent',
      scopes: expect.arrayContaining(['openid', 'account:read']),
      created_at: expect.any(String),
      last_used_at: expect.any(String),
      expires_at: expect.any(String),
      paused_at: null,
    })
    expect(await place.cli(['grants', 'revoke', '--yes', '--', id])).toMatchObject({ exitCode: 0 })
    expect(await lastEvent()).toMatchObject({ event: 'operator.grant_revoked' })
    expect(await account(tokens.access_token)).toBe(401)
    expect((await agent.refresh(tokens.refresh_token)).body.error).toBe('invalid_grant')
    expect(await account(others.access_token)).toBe(200)
    expect(await place.cli(['grants', 'revoke', '--yes', '--', id])).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('grants list'),
    })
  })

  test('a new password signs the person out of every browser, and the old one is rejected', async () => {
    const browser = personCalled('ada@example.org')
    await agent.send(browser)
    const changed = await place.cli(['people', 'set-password', 'ada@example.org', '--password-stdin'], { input: 'another long phrase\n' })
    expect(changed, changed.err).toMatchObject({ exitCode: 0 })
    expect((await browser.open(agent.authorizationUrl().href)).html).toContain('type="password"')
    await expect(agent.send(personCalled('ada@example.org'))).rejects.toThrow()
    const redirect = await agent.send(personCalled('ada@example.org'), {}, { password: 'another long phrase' })
    expect(redirect.searchParams.get('code')).toBeTruthy()
  })

  test('any answer except a plain yes cancels the command', async () => {
    const own = await createAgent(place.service.issuer)
    for (const answer of ['', 'n', 'yesterday', 'Y e s']) {
      const refused = await place.cli(['clients', 'disable', own.clientId], { answers: [answer] })
      expect(refused).toMatchObject({ exitCode: 1, err: expect.stringContaining('nothing was changed') })
    }
    expect((await place.cli(['clients', 'show', own.clientId, '--json'])).json().state).toBe('enabled')
    expect(await place.cli(['clients', 'disable', own.clientId], { answers: ['y'] })).toMatchObject({ exitCode: 0 })
    expect((await place.cli(['clients', 'show', own.clientId, '--json'])).json().state).toBe('disabled')
  })
})
