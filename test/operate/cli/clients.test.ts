import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { agentOf, createAgent, personCalled, withToken } from '../../support/agent.ts'
import { duringTests } from '../../support/duringTests.ts'
import { startService } from '../../support/service.ts'
import { operatorEvents, placesToTest, schoolFile } from './cli.ts'

describe.each(await placesToTest())('clients, with a service of two schools running on $name', ({ open }) => {
  const place = duringTests(() => open({ schools: 2 }))
  beforeAll(async () => {
    await place.service.addPerson({ email: 'ada@example.org' })
  })

  /** Writes the file of the first school, which the commands read. */
  const writeSchool = (integrations: object[]) =>
    writeFile(
      join(place.config, 'schools/first.yaml'),
      stringify({ ...parse(schoolFile(place.service.issuer, 'First School')), integrations }),
    )
  /** The command, on the first school. */
  const run = (...args: string[]) => place.cli([...args.slice(0, 2), '--school', 'first', ...args.slice(2)])
  const ids = async (...args: string[]): Promise<string[]> =>
    (await run('clients', 'list', '--json', ...args)).json().map((row: { client_id: string }) => row.client_id)
  const age = (id: string, days: number) =>
    place.service.database.sql.query('UPDATE oidc_client SET created_at = now() - make_interval(days => $2) WHERE id = $1', [id, days])
  const register = async (metadata: object = {}) => (await createAgent(place.service.issuer, metadata)).clientId

  test('with several schools, --school is required and must name one of them', async () => {
    expect(await place.cli(['clients', 'list'])).toMatchObject({ exitCode: 2, err: expect.stringContaining('first, second') })
    expect(await place.cli(['clients', 'list', '--school', 'third'])).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining('first, second'),
    })
  })

  test('a client is shown without its secret, and only by the school that it belongs to', async () => {
    const { clientId, clientSecret } = await createAgent(place.service.issuer, { token_endpoint_auth_method: 'client_secret_post' })
    const shown = await run('clients', 'show', clientId, '--json')
    expect(shown.json()).toEqual({
      client_id: clientId,
      client_name: 'Test agent',
      registered_via: 'self',
      state: 'enabled',
      created_at: expect.any(String),
      last_used_at: null,
      disabled_at: null,
      disabled_by: null,
      paused_at: null,
      redirect_uris: ['http://127.0.0.1:53682/callback'],
      post_logout_redirect_uris: [],
      grant_types: ['authorization_code', 'refresh_token'],
      application_type: 'native',
      token_endpoint_auth_method: 'client_secret_post',
      has_secret: true,
      live_grants: 0,
      previous_secret_until: null,
    })
    for (const hidden of [clientSecret as string, 'sha256:']) expect(shown.out).not.toContain(hidden)
    const other = ['--school', 'second']
    expect(await place.cli(['clients', 'show', clientId, ...other])).toMatchObject({ exitCode: 1 })
    for (const verb of ['disable', 'delete'])
      expect(await place.cli(['clients', verb, clientId, '--yes', ...other])).toMatchObject({ exitCode: 1 })
    expect(await ids()).toContain(clientId)
  })

  test('the name of a client cannot move the cursor, break lines or reverse the text', async () => {
    const client_name = 'Nice\u001b[2J\u009b31m\u202eevil\u2066\r\nfake row'
    const id = await register()
    await place.service.database.sql.query('UPDATE oidc_client SET metadata = jsonb_set(metadata, $2, $3::jsonb) WHERE id = $1', [
      id,
      '{client_name}',
      JSON.stringify(client_name),
    ])
    const [table, show, list] = [await run('clients', 'list'), await run('clients', 'show', id), await run('clients', 'list', '--json')]
    const asked = await place.cli(['clients', 'disable', id, '--school', 'first'], { answers: ['n'] })
    for (const text of [table.out, show.out, list.out, asked.err]) {
      expect(text).not.toMatch(/[^\n\P{Cc}]|\p{Bidi_C}/u)
      expect(text).toContain('Nice')
    }
    expect(table.out).not.toMatch(/^fake row/m)
    expect(list.json().find((row: { client_id: string }) => row.client_id === id).client_name).toBe(client_name)
    await run('clients', 'delete', id, '--yes')
  })

  test('prune removes unused clients of this school only; a dry run changes nothing', async () => {
    const [fresh, idle, used] = [await register(), await register(), await createAgent(place.service.issuer)]
    const elsewhere = (await createAgent(place.service.other)).clientId
    const { body } = await used.tokens(personCalled('ada@example.org'))
    await run('integrations', 'add', '--name', 'Old Integration', '--client-id', 'old', '--redirect-uri', 'https://old.example.com/cb')
    for (const id of [idle, used.clientId, elsewhere, 'old']) await age(id, 400)
    const before = await ids()

    const dry = await run('clients', 'prune', '--dry-run')
    expect(dry).toMatchObject({ exitCode: 0, out: expect.stringMatching(/^oidc_client +1 /m) })
    expect(await ids()).toEqual(before)
    expect((await operatorEvents(place.service)).map(({ event }) => event)).not.toContain('operator.clients_pruned')

    expect(await place.cli(['clients', 'prune', '--school', 'first'], { answers: ['no'] })).toMatchObject({ exitCode: 1 })
    expect(await ids()).toEqual(before)
    expect(await run('clients', 'prune', '--yes')).toMatchObject({ exitCode: 0, out: '1 deleted\n' })
    expect(await ids()).toEqual(before.filter((id) => id !== idle))
    expect(await ids()).toEqual(expect.arrayContaining([fresh, used.clientId, 'old']))
    expect((await withToken(`${place.service.issuer}/api/v1/account`, body.access_token)).status).toBe(200)
    expect(await place.cli(['clients', 'show', elsewhere, '--school', 'second'])).toMatchObject({ exitCode: 0 })
    expect((await operatorEvents(place.service)).at(-1)).toMatchObject({ event: 'operator.clients_pruned', details: { removed: 1 } })
  })

  test('an integration works immediately; its secret is printed once and stored as a hash', async () => {
    const redirectUri = 'https://sync.example.com/callback'
    const added = await run('integrations', 'add', '--name', 'Newsletter Sync', '--redirect-uri', redirectUri, '--json')
    expect(added, added.err).toMatchObject({ exitCode: 0 })
    const { client_id: id, client_secret: secret } = added.json()
    const stored = await place.service.database.sql.query<{ metadata: { client_secret: string }; registered_via: string }>(
      'SELECT metadata, registered_via FROM oidc_client WHERE id = $1',
      [id],
    )
    expect(stored[0]).toMatchObject({
      registered_via: 'operator',
      metadata: { client_secret: `sha256:${createHash('sha256').update(secret).digest('base64url')}` },
    })
    const audit = await place.service.database.sql.query<{ row: string }>('SELECT audit_log::text AS row FROM audit_log')
    expect(audit.some(({ row }) => row.includes('operator.integration_added'))).toBe(true)
    for (const { row } of audit) expect(row).not.toContain(secret)

    const agent = agentOf(place.service.issuer, id, secret, redirectUri)
    const { status, body } = await agent.tokens(personCalled('ada@example.org'))
    expect(status).toBe(200)
    expect(await agent.refresh(body.refresh_token, { client_secret: 'wrong' })).toMatchObject({ status: 401 })
    expect((await run('integrations', 'list', '--json')).out).not.toContain('sha256:')

    expect(await run('integrations', 'remove', id, '--yes')).toMatchObject({ exitCode: 0 })
    expect((await withToken(`${place.service.issuer}/api/v1/account`, body.access_token)).status).toBe(401)
    expect(await run('clients', 'show', id)).toMatchObject({ exitCode: 1 })

    // A later client with the same id inherits no grant, and revocations of the first one do not affect it.
    const [after, addresses] = ['https://sync.example.com', ['--redirect-uri', redirectUri, '--post-logout-redirect-uri']]
    expect(await run('integrations', 'add', '--name', 'Another', ...addresses, 'http://127.0.0.1/')).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining('post_logout_redirect_uris[0] must be an https:// address'),
    })
    const again = await run('integrations', 'add', '--name', 'Another', '--client-id', id, '--public', ...addresses, after, '--json')
    expect(again.json()).toEqual({
      client_id: id,
      client_secret: null,
      redirect_uris: [redirectUri],
      post_logout_redirect_uris: [after],
    })
    const signOut = new URLSearchParams({ client_id: id, post_logout_redirect_uri: after })
    const { headers } = await fetch(`${place.service.issuer}/oauth/logout?${signOut}`, { redirect: 'manual' })
    expect(headers.get('location')).toBe(`${after}/`)
    expect((await withToken(`${place.service.issuer}/api/v1/account`, body.access_token)).status).toBe(401)
    const fresh = await agentOf(place.service.issuer, id, undefined, redirectUri).tokens(personCalled('ada@example.org'))
    expect((await withToken(`${place.service.issuer}/api/v1/account`, fresh.body.access_token)).status).toBe(200)
  })

  test.each([
    ['http', ['--redirect-uri', 'http://sync.example.com/cb'], 'redirect_uris[0]'],
    ['a fragment', ['--redirect-uri', 'https://sync.example.com/cb#x'], 'redirect_uris[0]'],
    ['a wildcard', ['--redirect-uri', 'https://*.example.com/cb'], 'redirect_uris[0]'],
    ['one callback twice', ['--redirect-uri', 'https://a.example.com/', 'https://a.example.com/'], 'redirect_uris[1]'],
    [
      'an id that looks like a document',
      ['--redirect-uri', 'https://a.example.com/', '--client-id', 'https://a.example.com/x'],
      'client_id',
    ],
    ['no callback', [], '--redirect-uri'],
  ])('an integration with %s is refused', async (_what, args, named) => {
    const before = await ids()
    const refused = await run('integrations', 'add', '--name', 'Wrong', ...args)
    expect(refused).toMatchObject({ exitCode: 2, out: '', err: expect.stringContaining(named) })
    expect(await ids()).toEqual(before)
  })

  test('an existing client id is rejected', async () => {
    const taken = await register()
    const refused = await run('integrations', 'add', '--name', 'Thief', '--client-id', taken, '--redirect-uri', 'https://a.example.com/')
    expect(refused).toMatchObject({ exitCode: 1, out: '', err: expect.stringContaining('already') })
    expect((await run('clients', 'show', taken, '--json')).json()).toMatchObject({ registered_via: 'self', client_name: 'Test agent' })
  })

  test("a client of the school's file is not deleted here", async () => {
    const integration = { client_id: 'in-the-file', client_name: 'In the file', redirect_uris: ['https://file.example.com/cb'] }
    await place.service.reload({ school: { integrations: [integration] } })
    for (const args of [
      ['integrations', 'remove'],
      ['clients', 'delete'],
    ]) {
      const refused = await run(...args, 'in-the-file', '--yes')
      expect(refused).toMatchObject({ exitCode: 1, err: expect.stringContaining('schools/first.yaml') })
    }
    expect(await run('clients', 'disable', 'in-the-file', '--yes')).toMatchObject({ exitCode: 0, err: '' })
    expect(await ids('--disabled')).toEqual(['in-the-file'])
    expect(await ids('--via', 'file')).toEqual(['in-the-file'])
  })

  describe("an integration of the school's file", () => {
    const integration = { client_id: 'switched', client_name: 'Switched', redirect_uris: ['https://switched.example.com/cb'] }
    const state = async (): Promise<string> => (await run('clients', 'show', 'switched', '--json')).json().state
    const reload = (more: object = {}, others: object[] = []) =>
      place.service.reload({ school: { integrations: [{ ...integration, ...more }, ...others] } })

    test('that an operator disabled stays disabled across reloads and restarts, until it is enabled', async () => {
      await reload()
      expect(await run('clients', 'disable', 'switched', '--yes')).toMatchObject({ exitCode: 0 })
      await reload({ client_name: 'Switched again' })
      expect(await state()).toBe('disabled')
      await place.service.reload({ school: { integrations: [] } })
      await reload()
      expect(await state()).toBe('disabled')
      const restarted = await startService({ database: place.service.database, school: { integrations: [integration] } })
      await restarted.stop()
      expect(await state()).toBe('disabled')
      await writeSchool([integration])
      expect(await run('clients', 'enable', 'switched')).toMatchObject({ exitCode: 0 })
      expect(await state()).toBe('enabled')
      await reload()
      expect(await state()).toBe('enabled')
    })

    test('that the file disables is disabled by a reload, and enabled again by a later one', async () => {
      await reload()
      const agent = agentOf(place.service.issuer, 'switched', undefined, 'https://switched.example.com/cb')
      const { body } = await agent.tokens(personCalled('ada@example.org'))
      const account = `${place.service.issuer}/api/v1/account`
      expect((await withToken(account, body.access_token)).status).toBe(200)
      await reload({ enabled: false })
      expect(await state()).toBe('disabled')
      expect((await withToken(account, body.access_token)).status).toBe(401)
      await reload()
      expect(await state()).toBe('enabled')
      expect((await withToken(account, body.access_token)).status).toBe(401)
      const again = await agent.tokens(personCalled('ada@example.org'))
      expect((await withToken(account, again.body.access_token)).status).toBe(200)
    })

    test('that the file disables or no longer lists cannot be enabled by a command', async () => {
      for (const integrations of [[{ ...integration, enabled: false }], []]) {
        await place.service.reload({ school: { integrations } })
        await writeSchool(integrations)
        expect(await run('clients', 'enable', 'switched')).toMatchObject({
          exitCode: 1,
          err: expect.stringContaining('schools/first.yaml'),
        })
        expect(await state()).toBe('disabled')
      }
    })
  })

  test('a client that registered itself is not an integration', async () => {
    expect(await run('integrations', 'remove', await register(), '--yes')).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('clients delete'),
    })
  })
})
