import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAgent } from '../support/agent.ts'
import { databasesToTest } from '../support/databases.ts'
import { startDocumentHost } from '../support/documentHost.ts'
import { duringTests } from '../support/duringTests.ts'
import { type ServiceOptions, startService, type TestService } from '../support/service.ts'

describe.each(await databasesToTest())('outgoing: off in server.yaml, on $name', ({ open }) => {
  const opened = duringTests(open)
  const receivers = duringTests(() => startDocumentHost(['good.example.com']))
  let service: TestService
  let received = 0
  const options = (outgoing: 'on' | 'off'): ServiceOptions => ({
    database: opened.database,
    network: receivers.network,
    variables: { A: `whsec_${randomBytes(32).toString('base64')}` },
    server: { outgoing },
    school: { webhooks: [{ name: 'good', url: 'https://good.example.com/hook', types: ['security'], secrets: ['env:A'] }] },
  })
  beforeAll(async () => {
    receivers.pages.set('https://good.example.com/hook', (_request, response) => {
      received += 1
      response.writeHead(204).end()
    })
    service = await startService(options('off'))
  })
  afterAll(async () => {
    await service.stop()
  })
  const rows = () => opened.database.kysely.selectFrom('outbox').select(['kind', 'state', 'reason', 'payload']).orderBy('id').execute()
  const add = async (): Promise<void> => {
    const school = service.app.schools.all[0]?.school
    if (!school) throw new Error('the service has no school')
    const { outbox } = service.app
    await opened.database.sql.query(
      `INSERT INTO outbox (school_id, kind, payload, expires_at) VALUES ($1, 'bulk_email', '"unreadable"', now() - interval '1 hour')`,
      [school.id],
    )
    await createAgent(service.issuer)
    await outbox.drained()
  }

  test('e-mails and webhooks are kept as withheld, also expired ones, and nothing leaves', async () => {
    await add()
    expect(await service.emails()).toEqual([])
    expect(received).toBe(0)
    const kept = await rows()
    expect(new Set(kept.map(({ kind }) => kind))).toEqual(new Set(['bulk_email', 'webhook']))
    for (const row of kept)
      expect(row).toMatchObject({ state: 'withheld', reason: 'outgoing is off in server.yaml', payload: expect.anything() })
    expect(service.log()).toContain('delivery withheld')
    expect((await service.app.metrics.render()).text).toMatch(/schoolgate_outbox_attempts_total\{kind="webhook",outcome="withheld"\} [1-9]/)
  })

  test('with outgoing: on the withheld ones stay where they are, and new ones are sent', async () => {
    const before = (await rows()).length
    await service.stop()
    service = await startService(options('on'))
    await createAgent(service.issuer)
    await service.app.outbox.drained()
    expect(received).toBe(1)
    const states = (await rows()).map(({ state }) => state)
    expect(states.filter((state) => state === 'withheld')).toHaveLength(before)
    expect(states.filter((state) => state === 'delivered')).toHaveLength(1)
  })
})
