import { beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../../src/base/ids.ts'
import { createAgent, personCalled, withToken } from '../../support/agent.ts'
import { duringTests } from '../../support/duringTests.ts'
import { createPerson } from '../../support/person.ts'
import { operatorEvents, placesToTest } from './cli.ts'

const phrase = 'seven lanterns in the fog'

describe.each(await placesToTest())('people, with a service running on $name', ({ open }) => {
  const place = duringTests(open)

  const create = (email: string, ...more: string[]) =>
    place.cli(['people', 'create', email, '--name', 'Ada Byron', '--password-stdin', ...more], { input: `${phrase}\n` })
  const tokenOf = async (email: string): Promise<string> => {
    const agent = await createAgent(place.service.issuer)
    return (await agent.tokens(createPerson({ email, password: phrase }))).body.access_token
  }
  const account = async (token: string) => (await withToken(`${place.service.issuer}/api/v1/account`, token)).body
  const roleNow = async (token: string): Promise<string> => (await account(token)).membership.roles[0]

  test('a created person signs in with the given role', async () => {
    const created = await create('  Ada@Example.ORG ', '--role', 'owner')
    expect(created, created.err).toMatchObject({ exitCode: 0 })
    const shown = await account(await tokenOf('ada@example.org'))
    expect(shown).toMatchObject({ email: 'ada@example.org', email_verified: false, name: 'Ada Byron', membership: { roles: ['owner'] } })
    expect(created.out).toContain(shown.id)
    expect((await operatorEvents(place.service)).at(-1)).toMatchObject({
      event: 'operator.person_created',
      details: { role: 'owner', operator: 'ops' },
    })
  })

  test('a person who lost their second factor signs in with the password alone after an operator removed it', async () => {
    await create('locked@example.org')
    const { sql } = place.service.database
    await sql.query(
      "INSERT INTO authenticator_app (school_id, account_id, secret, last_step) SELECT school_id, id, 'sealed', 1 FROM account WHERE email = 'locked@example.org'",
    )
    const removed = await place.cli(['people', 'remove-second-factor', 'locked@example.org', '--yes'])
    expect(removed).toMatchObject({ exitCode: 0, out: 'locked@example.org: removed the authenticator app and 0 passkeys\n' })
    expect(await account(await tokenOf('locked@example.org'))).toMatchObject({ two_factor_enabled: false })
    expect((await operatorEvents(place.service)).at(-1)).toMatchObject({ event: 'operator.second_factor_removed' })
  })

  test('a password that is typed twice is accepted, and two different ones are rejected', async () => {
    const args = ['people', 'create', 'typed@example.org', '--name', 'Typed', '--json']
    expect(await place.cli(args, { secrets: [phrase, `${phrase}!`] })).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('differ'),
    })
    const created = await place.cli(args, { secrets: [phrase, phrase] })
    expect(created.json()).toEqual({
      account_id: expect.stringMatching(/^acc_/),
      email: 'typed@example.org',
      name: 'Typed',
      role: 'learner',
    })
    expect(await roleNow(await tokenOf('typed@example.org'))).toBe('learner')
  })

  test.each([
    ['shorter than eight characters', 'aB3$xy7'],
    ['that everybody guesses', 'Passw0rd1!'],
    ['of a season and a year', 'Sommer2026!'],
    ['of one word', 'Kaffeetasse'],
    ['made of the name', 'Weak Willow 1'],
    ['of two lines', 'seven lanterns\nin the fog'],
    ['longer than a kilobyte', 'ab'.repeat(600)],
    ['made of the address', 'weak@example.org'],
  ])('a password %s is refused and nothing is made', async (_what, input) => {
    const refused = await place.cli(['people', 'create', 'weak@example.org', '--name', 'Weak Willow', '--password-stdin'], {
      input: `${input}\n`,
    })
    expect(refused).toMatchObject({ exitCode: 1, out: '', err: expect.stringMatching(/^schoolgate: the password .*\n$/) })
    expect(refused.err).not.toContain(input)
    expect(await place.cli(['people', 'set-role', 'weak@example.org', 'admin'])).toMatchObject({ exitCode: 1 })
  })

  test('a password is never an argument', async () => {
    const refused = await place.cli(['people', 'create', 'argv@example.org', '--name', 'Argv', '--password', phrase])
    expect(refused).toMatchObject({ exitCode: 2, err: expect.stringContaining('--password') })
    expect(await place.cli(['people', 'create', 'argv@example.org', phrase, '--name', 'Argv', '--password-stdin'])).toMatchObject({
      exitCode: 2,
    })
  })

  test('an address has one login', async () => {
    expect(await create('ADA@example.org')).toMatchObject({ exitCode: 1, err: expect.stringContaining('set-role') })
    const both = await Promise.all([create('twice@example.org'), create('twice@example.org')])
    expect(both.map(({ exitCode }) => exitCode).toSorted()).toEqual([0, 1])
  })

  test.each(['nobody', 'a b@example.org', 'a@b@c', '@', ''])('%j is not an address', async (typed) => {
    expect(await create(typed)).toMatchObject({ exitCode: 2, err: expect.stringContaining('not an e-mail address') })
  })

  test('the login of a known e-mail address belongs to the existing person', async () => {
    const [schoolId, personId] = [place.service.schoolId(), newId()]
    await place.service.database.kysely
      .insertInto('person')
      .values({ school_id: schoolId, id: personId, email: 'known@example.org', name: 'Known Before', is_member: true })
      .execute()
    expect(await create('known@example.org')).toMatchObject({ exitCode: 0 })
    expect((await account(await tokenOf('known@example.org'))).membership.member_id).toMatch(/^mbr_/)
    const rows = await place.service.database.sql.query("SELECT id FROM person WHERE email = 'known@example.org'")
    expect(rows).toEqual([{ id: personId }])
  })

  test('a role applies immediately, also to tokens that were issued before', async () => {
    await create('role@example.org')
    const token = await tokenOf('role@example.org')
    for (const role of ['admin', 'lecturer', 'owner', 'learner', 'admin']) {
      const changed = await place.cli(['people', 'set-role', 'role@example.org', role])
      expect(changed, changed.err).toMatchObject({ exitCode: 0 })
      expect(await roleNow(token)).toBe(role)
    }
    expect((await operatorEvents(place.service)).at(-1)).toMatchObject({
      event: 'operator.role_set',
      details: { before: 'learner', role: 'admin' },
    })
    expect(await place.cli(['people', 'set-role', 'role@example.org', 'king'])).toMatchObject({ exitCode: 2 })
  })

  test('the last owner who can sign in keeps the role, also when two are demoted at the same time', async () => {
    await create('owner2@example.org', '--role', 'owner')
    const both = await Promise.all(
      ['ada@example.org', 'owner2@example.org'].map((email) => place.cli(['people', 'set-role', email, 'admin'])),
    )
    expect(both.map(({ exitCode }) => exitCode).toSorted()).toEqual([0, 1])
    const owners = (await place.cli(['people', 'list', '--role', 'owner', '--json'])).json()
    expect(owners).toHaveLength(1)

    await create('owner3@example.org', '--role', 'owner')
    await place.cli(['people', 'disable', 'owner3@example.org', '--yes'])
    const refused = await place.cli(['people', 'set-role', owners[0].account_id, 'admin'])
    expect(refused).toMatchObject({ exitCode: 1, err: expect.stringContaining('give another person the role owner first') })

    await create('owner4@example.org', '--role', 'owner')
    const { database } = place.service
    await database.sql.query(`UPDATE account SET deletion_scheduled_at = now() WHERE email = 'owner4@example.org'`)
    expect(await place.cli(['people', 'set-role', owners[0].account_id, 'admin'])).toMatchObject({ exitCode: 1 })
  })

  test('the list has stable keys and no hash', async () => {
    const listed = await place.cli(['people', 'list', '--json'])
    expect(listed.json()[0]).toEqual({
      account_id: expect.stringMatching(/^acc_/),
      email: 'ada@example.org',
      name: 'Ada Byron',
      role: expect.any(String),
      state: 'enabled',
      has_password: true,
      created_at: expect.any(String),
      last_sign_in_at: expect.any(String),
    })
    expect(listed.out).not.toContain('argon2')
  })

  test('a password is set for the person with the id; earlier e-mail links become invalid', async () => {
    const { account_id: id } = (await place.cli(['people', 'list', '--json']))
      .json()
      .find(({ email }: { email: string }) => email === 'typed@example.org')
    const { sql } = place.service.database
    await sql.query(
      `INSERT INTO mailed_link (school_id, id, purpose, email, account_id, expires_at)
       SELECT school_id, 'a link', 'password_reset', email, id, now() + interval '1 hour' FROM account WHERE email = 'typed@example.org'`,
    )
    const changed = await place.cli(['people', 'set-password', id], { secrets: ['other words for a door', 'other words for a door'] })
    expect(changed, changed.err).toMatchObject({ exitCode: 0 })
    expect(await sql.query("SELECT used_at IS NULL AS works FROM mailed_link WHERE id = 'a link'")).toEqual([{ works: false }])
    await expect(tokenOf('typed@example.org')).rejects.toThrow()
  })

  test('a name that is neither an address nor an id is an invalid argument', async () => {
    expect(await place.cli(['people', 'enable', 'acc_x'])).toMatchObject({ exitCode: 2 })
    expect(await place.cli(['people', 'enable', 'stranger@example.org'])).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('people list'),
    })
    expect(await place.cli(['people', 'enable', 'ada@example.org'])).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('not disabled'),
    })
  })
})

describe.each(await placesToTest())('people active, with a service running on $name', ({ open }) => {
  const place = duringTests(open)
  beforeAll(async () => {
    for (const name of ['ada', 'bob', 'eve', 'joy']) await place.service.addPerson({ email: `${name}@example.org` })
    const agent = await createAgent(place.service.issuer)
    await agent.tokens(personCalled('bob@example.org'))
    const { sql } = place.service.database
    await sql.query(`UPDATE account SET last_sign_in_at = CASE email
      WHEN 'ada@example.org' THEN now() - interval '1 hour' WHEN 'eve@example.org' THEN now() - interval '20 days'
      ELSE now() - interval '200 days' END`)
    // Bob's app used his access three days ago, and joy has not been here for 200 days.
    await sql.query(`UPDATE oidc_grant SET last_used_at = now() - interval '3 days'`)
  })

  const countsOf = async (...args: string[]): Promise<[number, number][]> => {
    const { exitCode, err, json } = await place.cli(['people', 'active', '--json', ...args])
    expect(exitCode, err).toBe(0)
    return json().map(({ days, people }: { days: number; people: number }) => [days, people])
  }

  test('counts who signed in and whose access an app used, in each period', async () => {
    expect(await countsOf()).toEqual([
      [1, 1],
      [7, 2],
      [30, 3],
    ])
    expect(await countsOf('--days', '365')).toEqual([[365, 4]])
  })

  test('a period must be a number of days', async () => {
    const outcome = await place.cli(['people', 'active', '--days', '500'])
    expect(outcome).toMatchObject({ exitCode: 2, err: expect.stringContaining('--days must be a whole number from 1 to 400, not 500') })
  })

  test('the metric has a value for each period', async () => {
    const { text } = await place.service.app.metrics.render()
    for (const days of [1, 7, 30]) expect(text).toMatch(new RegExp(`^schoolgate_people_active\\{days="${days}"\\} \\d+$`, 'm'))
  })
})
