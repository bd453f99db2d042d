import { randomBytes } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { createAgent, personCalled, postJson } from '../support/agent.ts'
import { databasesToTest, type TestDatabase } from '../support/databases.ts'
import { type DocumentHost, startDocumentHost } from '../support/documentHost.ts'
import { until } from '../support/poll.ts'
import { startService, type TestService } from '../support/service.ts'

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
