import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { newId, toPublicId } from '../../src/base/ids.ts'
import { createKeyring } from '../../src/base/keyring.ts'
import { inSchool } from '../../src/database/school/inSchool.ts'
import type { ChangeAction } from '../../src/database/tables/changeActions.ts'
import { recordChanges } from '../../src/database/tables/changeLog.ts'
import { createOutbox } from '../../src/operate/compose/outbox.ts'
import { createAgent, personCalled, postJson } from '../support/agent.ts'
import { databasesToTest, type TestDatabase } from '../support/databases.ts'
import { type DocumentHost, startDocumentHost } from '../support/documentHost.ts'
import { duringTests } from '../support/duringTests.ts'
import { until } from '../support/poll.ts'
import { rootSecret, type ServiceOptions, startService, type TestService } from '../support/service.ts'

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`

interface Received {
  host: string
  headers: IncomingMessage['headers']
  body: string
}

describe.each(await databasesToTest())('webhooks on $name', ({ open }) => {
  const opened = duringTests(open)
  let service: TestService
  let receivers: DocumentHost
  let received: Received[]
  /** How a host answers. Default: 204. */
  let answers: Map<string, (response: ServerResponse, request: Received) => void>
  const secrets = { A: newSecret(), B: newSecret() }

  const endpoint = (name: string, types: string[] = ['course'], more: object = {}) => ({
    name,
    url: `https://${name}.example.com/hook?key=hidden-key`,
    types,
    secrets: ['env:A'],
    ...more,
  })
  const configure = (webhooks: object[], more: object = {}): ServiceOptions => ({ school: { webhooks, ...more } })

  beforeAll(async () => {
    const hosts = ['good', 'bad', 'slow', 'gone', 'huge', 'moved'].map((name) => `${name}.example.com`)
    receivers = await startDocumentHost(hosts)
    for (const host of hosts) {
      receivers.pages.set(`https://${host}/hook?key=hidden-key`, async (request, response) => {
        const one = { host, headers: request.headers, body: await text(request) }
        received.push(one)
        const answer = answers.get(host)
        if (answer) answer(response, one)
        else response.writeHead(204).end()
      })
    }
    service = await startService({ database: opened.database, network: receivers.network, variables: secrets })
  })
  afterAll(async () => {
    await service.stop()
    await receivers.stop()
  })
  beforeEach(async () => {
    received = []
    answers = new Map()
    await opened.database.kysely.deleteFrom('outbox').execute()
    await opened.database.kysely.deleteFrom('webhook_endpoint').execute()
  })

  const change = (ids: string[], action: ChangeAction = 'updated', type = 'course') =>
    opened.database.transaction((writer) =>
      recordChanges(
        inSchool(writer, service.schoolId()),
        { type, action },
        ids.map((id, at) => ({ id, version: at + 1 })),
      ),
    )
  const rows = () => opened.database.kysely.selectFrom('outbox').selectAll().where('kind', '=', 'webhook').orderBy('id').execute()
  const states = async () => (await rows()).map(({ target, state }) => [target, state])
  const endpoints = () => opened.database.kysely.selectFrom('webhook_endpoint').selectAll().orderBy('name').execute()
  /** Makes everything due, as if time had passed. */
  const letTimePass = async () => {
    await opened.database.kysely.updateTable('outbox').set({ next_at: new Date() }).where('state', '=', 'pending').execute()
    await opened.database.kysely.updateTable('webhook_endpoint').set({ paused_until: null }).execute()
  }
  const actions = (host: string) => received.filter((one) => one.host === `${host}.example.com`).map(({ body }) => JSON.parse(body).type)

  test('a change is sent signed, with ids only, and the library of the receiver verifies it', async () => {
    await service.reload(configure([endpoint('good')]))
    const id = newId()
    await change([id], 'published')
    await service.app.drained()
    expect(received).toHaveLength(1)
    const [{ headers, body } = { headers: {}, body: '' }] = received
    expect(new Webhook(secrets.A).verify(body, headers as Record<string, string>)).toEqual({
      type: 'course.published',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      data: {
        school: service.issuer,
        object: 'course',
        id: toPublicId('crs', id),
        version: 1,
        url: `${service.issuer}/api/v1/courses/${toPublicId('crs', id)}`,
        by: { kind: 'schedule', client_id: null },
      },
    })
    expect((headers as Received['headers'])['webhook-id']).toMatch(/^evt_/)
    expect(() => new Webhook(newSecret()).verify(body, headers as Record<string, string>)).toThrow()
    expect(await states()).toEqual([['good', 'delivered']])
  })

  test('only the named types are recorded, nothing without endpoints, and nothing of a change that is rolled back', async () => {
    await service.reload(configure([]))
    await change([newId()])
    await service.reload(configure([endpoint('good', ['order']), endpoint('bad', ['order'], { enabled: false })]))
    await change([newId()])
    const failing = opened.database.transaction(async (writer) => {
      await recordChanges(inSchool(writer, service.schoolId()), { type: 'order', action: 'paid' }, [{ id: newId(), version: 1 }])
      throw new Error('rolled back')
    })
    await expect(failing).rejects.toThrow('rolled back')
    expect(await rows()).toEqual([])
    await change([newId()], 'paid', 'order')
    expect(await states()).toEqual([['good', 'pending']])
  })

  test('a security event names account, client and authorization, but no address and no details', async () => {
    await service.reload(configure([endpoint('good', ['security', 'security.sign_in.failed'])]))
    const registered = await fetch(`${service.issuer}/api/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: 'Private Name', redirect_uris: ['http://127.0.0.1/callback'] }),
    })
    expect(registered.status).toBe(201)
    const { client_id } = (await registered.json()) as { client_id: string }
    await service.app.drained()
    expect(received.map(({ body }) => JSON.parse(body))).toMatchObject([
      { type: 'security.client.registered', data: { client_id, account_id: null } },
    ])
    expect(received[0]?.body).not.toMatch(/127\.0\.0\.1(?!:\d+")|Private Name/)
  })

  test('during the rotation of a secret receivers with the old one and with the new one both accept', async () => {
    await service.reload(configure([endpoint('good', ['course'], { secrets: ['env:B', 'env:A'] })]))
    await change([newId()])
    await service.app.drained()
    const [{ headers, body } = { headers: {}, body: '' }] = received
    for (const secret of [secrets.A, secrets.B])
      expect(() => new Webhook(secret).verify(body, headers as Record<string, string>)).not.toThrow()
  })

  test('events of one object arrive in order although one fails, and other objects and endpoints do not wait', async () => {
    const [first, second] = [newId(), newId()]
    let isDown = true
    answers.set('bad.example.com', (response, { body }) => {
      const isAffected = body.includes(toPublicId('crs', first))
      response.writeHead(isDown && isAffected ? 500 : 200).end()
    })
    await service.reload(configure([endpoint('bad'), endpoint('good')]))
    await change([first], 'created')
    await change([first], 'published')
    await change([second], 'created')
    await service.app.drained()
    expect(actions('bad').toSorted()).toEqual(['course.created', 'course.created'])
    expect(actions('good')).toHaveLength(3)
    isDown = false
    received = []
    await letTimePass()
    await service.app.drained()
    expect(actions('bad')).toEqual(['course.created', 'course.published'])
    expect((await states()).every(([, state]) => state === 'delivered')).toBe(true)
  })

  test('the id of a message is the same for each attempt, so that a receiver can recognise it', async () => {
    answers.set('bad.example.com', (response) => response.writeHead(received.length === 1 ? 503 : 200).end())
    await service.reload(configure([endpoint('bad')]))
    await change([newId()])
    await service.app.drained()
    await letTimePass()
    await service.app.drained()
    const ids = received.map(({ headers }) => headers['webhook-id'])
    expect(ids).toHaveLength(2)
    expect(new Set(ids).size).toBe(1)
  })

  test('a receiver that keeps failing is paused, probed with one request, and gets everything once it accepts', async () => {
    let isDown = true
    answers.set('bad.example.com', (response) => response.writeHead(isDown ? 500 : 200).end())
    await service.reload(configure([endpoint('bad')]))
    await change(Array.from({ length: 30 }, newId))
    await service.app.drained()
    const attempts = received.length
    expect(attempts).toBeLessThan(10)
    const [{ paused_until } = { paused_until: null }] = await endpoints()
    expect(paused_until?.getTime()).toBeGreaterThan(Date.now())
    await letTimePass()
    await service.app.drained()
    expect(received.length - attempts).toBe(1)
    isDown = false
    await letTimePass()
    await service.app.drained()
    expect((await states()).every(([, state]) => state === 'delivered')).toBe(true)
    expect(await endpoints()).toMatchObject([{ failures: 0, paused_until: null }])
  })

  test('after three days a delivery is parked with its reason', async () => {
    answers.set('bad.example.com', (response) => response.writeHead(500).end())
    await service.reload(configure([endpoint('bad')]))
    await change([newId()])
    const [row] = await rows()
    expect(((row?.expires_at.getTime() ?? 0) - (row?.created_at.getTime() ?? 0)) / 86_400_000).toBeCloseTo(3, 3)
    await service.app.drained()
    await opened.database.kysely
      .updateTable('outbox')
      .set({ expires_at: new Date(Date.now() - 1000) })
      .execute()
    await letTimePass()
    await service.app.drained()
    expect(await rows()).toMatchObject([{ state: 'dead', reason: 'not delivered in time' }])
  })

  test('410 ends the deliveries to an endpoint until its URL changes', async () => {
    answers.set('gone.example.com', (response) => response.writeHead(410).end())
    await service.reload(configure([endpoint('gone')]))
    await change([newId(), newId()])
    await service.app.drained()
    expect(new Set((await states()).map(([, state]) => state))).toEqual(new Set(['dead']))
    await change([newId()])
    expect(await rows()).toHaveLength(2)
    await service.reload(configure([endpoint('gone')]))
    expect(await endpoints()).toMatchObject([{ is_active: false }])
    await service.reload(configure([endpoint('gone', ['course'], { url: 'https://good.example.com/hook?key=hidden-key' })]))
    expect(await endpoints()).toMatchObject([{ is_active: true, gone_at: null }])
  })

  test('a redirect is not followed, and an endless response is not read', async () => {
    answers.set('moved.example.com', (response) =>
      response.writeHead(307, { location: 'https://good.example.com/hook?key=hidden-key' }).end(),
    )
    answers.set('huge.example.com', (response) => {
      response.writeHead(200, { 'content-type': 'text/plain' })
      const more = () => {
        while (response.write('x'.repeat(65_536)));
      }
      response.on('drain', more)
      response.on('error', () => undefined)
      more()
    })
    await service.reload(configure([endpoint('moved'), endpoint('huge')]))
    await change([newId()])
    await service.app.drained()
    expect(actions('good')).toEqual([])
    const found = await rows()
    expect(found.find(({ target }) => target === 'huge')).toMatchObject({ state: 'delivered' })
    expect(found.find(({ target }) => target === 'moved')).toMatchObject({ state: 'pending', reason: 'the receiver answered 307' })
  })

  test('a frozen receiver does not delay another endpoint or an e-mail', async () => {
    const { promise: thawed, resolve: thaw } = Promise.withResolvers<void>()
    answers.set('slow.example.com', (response) => void thawed.then(() => response.writeHead(200).end()))
    await service.reload(configure([endpoint('slow'), endpoint('good')]))
    await change(Array.from({ length: 20 }, newId))
    const all = service.app.drained()
    await until(() => actions('good').length === 20, { what: 'the other endpoint' })
    const { school } = service.app.schools.byId(service.schoolId())
    const outbox = createOutbox({ database: opened.database, keyring: createKeyring([rootSecret]) })
    await outbox.send(opened.database.kysely, school, { email: 'ada@example.com', locales: [] }, 'staff_invited', { link: school.issuer })
    const emails = () => opened.database.kysely.selectFrom('outbox').select('state').where('kind', '=', 'email').execute()
    const others = service.app.drained()
    await until(async () => (await emails())[0]?.state === 'delivered', { what: 'the e-mail' })
    expect(actions('slow').length).toBeLessThanOrEqual(4)
    thaw()
    await Promise.all([all, others])
  })

  test.each([
    ['the own machine', ['127.0.0.1']],
    ['the metadata of a cloud host', ['169.254.169.254']],
    ['a name that resolves to a public and a private address', ['93.184.215.14', '10.0.0.7']],
    ['IPv6 loopback', ['::1']],
  ])('an address of %s is refused', async (_name, addresses) => {
    receivers.names.set('good.example.com', addresses)
    await service.reload(configure([endpoint('good')]))
    await change([newId()])
    const before = receivers.connections()
    await service.app.drained()
    receivers.names.delete('good.example.com')
    expect(receivers.connections()).toBe(before)
    expect(await rows()).toMatchObject([{ state: 'pending', reason: 'the address of the receiver is not public' }])
  })

  test('a failure is recorded with its cause and without an address', async () => {
    const causes: [string, string][] = [
      ['gone', 'the receiver closed the connection without a response'],
      ['missing', 'the host name of the receiver has no address'],
      ['other', 'the TLS certificate of the receiver is not valid, or its server speaks no TLS'],
    ]
    receivers.names.set('missing.example.com', [])
    answers.set('gone.example.com', (response) => void response.socket?.destroy())
    await service.reload(configure(causes.map(([name]) => endpoint(name))))
    await change([newId()])
    await service.app.drained()
    receivers.names.delete('missing.example.com')
    const found = Object.fromEntries((await rows()).map(({ target, reason }) => [target, reason]))
    expect(found).toEqual(Object.fromEntries(causes))
  })

  test('a host that the operator names may be private', async () => {
    receivers.names.set('good.example.com', ['10.0.0.7'])
    await service.reload(configure([endpoint('good')], { webhook_private_hosts: ['good.example.com'] }))
    await change([newId()])
    await service.app.drained()
    receivers.names.delete('good.example.com')
    expect(received).toHaveLength(1)
  })

  test('neither secrets nor URLs nor bodies are logged or stored', async () => {
    await service.reload(configure([endpoint('bad')]))
    answers.set('bad.example.com', (response) => response.writeHead(500).end('body of the receiver'))
    await change([newId()])
    await service.app.drained()
    const stored = JSON.stringify([await rows(), await endpoints(), service.log()])
    for (const hidden of [secrets.A, secrets.B, 'hidden-key', 'body of the receiver']) expect(stored).not.toContain(hidden)
  })
})

describe.each(await databasesToTest())('webhooks on $name, without polls', ({ open }) => {
  let opened: TestDatabase
  let service: TestService
  let receivers: DocumentHost
  let received: string[]
  beforeAll(async () => {
    // The worker looks for due rows once at its start, and then only when it is woken.
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    opened = await open()
    receivers = await startDocumentHost(['good.example.com'])
    receivers.pages.set('https://good.example.com/hook', async (request, response) => {
      received.push(JSON.parse(await text(request)).type)
      response.writeHead(204).end()
    })
    service = await startService({
      database: opened.database,
      network: receivers.network,
      variables: { A: `whsec_${randomBytes(32).toString('base64')}` },
      school: { webhooks: [{ name: 'good', url: 'https://good.example.com/hook', types: ['course', 'security'], secrets: ['env:A'] }] },
    })
    await service.addPerson({ email: 'owner@example.org', role: 'owner' })
    service.app.outbox.start()
  })
  afterEach(() => {
    received = []
  })
  afterAll(async () => {
    vi.useRealTimers()
    await service.app.outbox.stop()
    await service.stop()
    await receivers.stop()
    await opened.drop()
  })

  test('an event of a request is sent right after its commit: of a change, and of a sign-in that ends with a GET', async () => {
    received = []
    const agent = await createAgent(service.issuer)
    await until(() => received.includes('security.client.registered'), { what: 'the event of the registration' })
    const tokens = await agent.tokens(personCalled('owner@example.org'), { scope: 'openid courses:write' }, { scopes: 'all' })
    await until(() => received.includes('security.consent.granted'), { what: 'the event of the consent' })
    const authorization = `Bearer ${tokens.body.access_token}`
    const made = await postJson(`${service.issuer}/api/v1/courses`, { title: 'Glass', slug: 'glass' }, { authorization })
    expect(made.status).toBe(201)
    await until(() => received.includes('course.created'), { what: 'the event of the course' })
  })
})
