import { beforeAll, describe, expect, test } from 'vitest'
import { agentOf, get, personCalled, withToken } from '../../support/agent.ts'
import { startDocumentHost } from '../../support/documentHost.ts'
import { duringTests } from '../../support/duringTests.ts'
import { operatorEvents, placesToTest } from './cli.ts'

const website = 'app.example.com'
const redirectUri = 'http://127.0.0.1:50123/callback'
const person = 'ada@example.org'

describe.each(await placesToTest())('clients of metadata documents, with a service running on $name', ({ open }) => {
  const host = duringTests(() => startDocumentHost([website]))
  const place = duringTests(() =>
    open({ service: { network: host.network, oauth: { client_metadata_documents: { trusted_hosts: [website] } } } }),
  )
  beforeAll(async () => {
    await place.service.addPerson({ email: person })
  })

  /** A client whose document is published at a URL. */
  const publish = (name: string) => {
    const id = `https://${website}/${name}.json`
    host.pages.set(id, { client_id: id, client_name: 'Example App', redirect_uris: [redirectUri] })
    return { id, agent: agentOf(place.service.issuer, id, undefined, redirectUri) }
  }
  const ask = ({ agent }: ReturnType<typeof publish>) => get(agent.authorizationUrl().href, { accept: 'application/json' })
  const account = (token: string) => withToken(`${place.service.issuer}/api/v1/account`, token)
  const ids = async (): Promise<string[]> =>
    (await place.cli(['clients', 'list', '--via', 'document', '--json'])).json().map((row: { client_id: string }) => row.client_id)
  const shown = async (id: string) => (await place.cli(['clients', 'show', id, '--json'])).json()
  const age = (id: string, days: number) =>
    place.service.database.sql.query('UPDATE oidc_client SET created_at = now() - make_interval(days => $2) WHERE id = $1', [id, days])

  test('disable revokes its tokens, and neither a request nor a reload enables it; enable lets people connect it again', async () => {
    const app = publish('disabled')
    const { body } = await app.agent.tokens(personCalled(person))
    expect((await account(body.access_token)).status).toBe(200)

    expect(await place.cli(['clients', 'disable', app.id, '--yes'])).toMatchObject({ exitCode: 0 })
    expect((await account(body.access_token)).status).toBe(401)
    expect((await app.agent.refresh(body.refresh_token)).status).toBeGreaterThanOrEqual(400)
    const refused = await ask(app)
    expect([refused.status, refused.body.error, refused.headers.get('location')]).toEqual([400, 'invalid_client', null])
    await place.service.reload({ oauth: { client_metadata_documents: { trusted_hosts: [website] } } })
    expect((await ask(app)).status).toBe(400)
    expect(await shown(app.id)).toMatchObject({ registered_via: 'document', state: 'disabled', disabled_by: 'operator' })

    expect(await place.cli(['clients', 'enable', app.id])).toMatchObject({ exitCode: 0 })
    expect((await account(body.access_token)).status).toBe(401)
    const again = await app.agent.tokens(personCalled(person))
    expect((await account(again.body.access_token)).status).toBe(200)
    expect(await shown(app.id)).toMatchObject({ state: 'enabled', disabled_by: null })
    expect((await operatorEvents(place.service)).map(({ event }) => event)).toEqual(['operator.client_disabled', 'operator.client_enabled'])
  })

  test('enable does not overrule the configuration: a client whose host was removed says which setting to change', async () => {
    const app = publish('removed')
    expect((await ask(app)).status).toBe(303)
    await place.service.reload({ oauth: { client_metadata_documents: { trusted_hosts: ['elsewhere.example.com'] } } })
    expect(await place.cli(['clients', 'enable', app.id])).toMatchObject({ exitCode: 1, err: expect.stringContaining('trusted_hosts') })
    expect(await shown(app.id)).toMatchObject({ state: 'disabled', disabled_by: 'file' })
    await place.service.reload({ oauth: { client_metadata_documents: { trusted_hosts: [website] } } })
    expect((await ask(app)).status).toBe(303)
  })

  test('prune removes the unused after a day, and neither a client in use nor a disabled one; the next request stores it again', async () => {
    const [fresh, unused, used, disabled] = [publish('fresh'), publish('unused'), publish('used'), publish('banned')]
    for (const app of [fresh, unused, disabled]) expect((await ask(app)).status).toBe(303)
    const { body } = await used.agent.tokens(personCalled(person))
    await place.cli(['clients', 'disable', disabled.id, '--yes'])
    for (const { id } of [unused, used, disabled]) await age(id, 2)
    const before = await ids()
    expect(before).toEqual(expect.arrayContaining([fresh, unused, used, disabled].map(({ id }) => id)))

    expect(await place.cli(['clients', 'prune', '--dry-run'])).toMatchObject({
      exitCode: 0,
      out: expect.stringMatching(/^oidc_client +1 /m),
      err: 'dry run: nothing was changed\n',
    })
    expect(await ids()).toEqual(before)
    expect(await place.cli(['clients', 'prune', '--yes'])).toMatchObject({ exitCode: 0, out: '1 deleted\n' })
    expect(await ids()).toEqual(before.filter((id) => id !== unused.id))
    expect((await account(body.access_token)).status).toBe(200)

    expect((await ask(unused)).status).toBe(303)
    expect(await ids()).toContain(unused.id)
    expect((await ask(disabled)).status).toBe(400)
  })
})
