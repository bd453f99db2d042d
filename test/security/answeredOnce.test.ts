import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Agent, createAgent, personCalled } from '../support/agent.ts'
import { startService, type TestService } from '../support/service.ts'
import { fieldsOf, sendAs, toConsent } from './browsing.ts'

const email = 'learner@example.org'

describe('one answered interaction leaves one grant at most', () => {
  let service: TestService
  let agent: Agent
  beforeAll(async () => {
    service = await startService()
    await service.addPerson({ email })
  })
  afterAll(() => service.stop())

  const begin = async () => {
    agent = await createAgent(service.issuer)
    const person = personCalled(email)
    const page = await toConsent(agent, person, { email })
    return { person, consent: fieldsOf(page, /consent$/), refuse: fieldsOf(page, /refuse$/) }
  }
  const grants = (): Promise<{ id: string }[]> =>
    service.database.sql.query('SELECT id FROM oidc_grant WHERE client_id = $1', [agent.clientId])
  const audits = async (): Promise<string[]> => {
    const rows = await service.database.sql.query<{ event: string }>(
      `SELECT event FROM audit_log WHERE client_id = $1 AND event LIKE 'consent.%'`,
      [agent.clientId],
    )
    return rows.map(({ event }) => event)
  }
  const locations = (answers: Response[]) => new Set(answers.map(({ headers }) => headers.get('location')))

  test('five forms sent concurrently create one grant', async () => {
    const { person, consent } = await begin()
    const answers = await Promise.all(Array.from({ length: 5 }, () => sendAs(person, consent.address, { fields: consent.fields })))
    expect(locations(answers).size).toBe(1)
    expect(await grants()).toHaveLength(1)
  })

  test('the first submission counts: ticking more in a second window has no effect', async () => {
    const { person, consent } = await begin()
    const less = new URLSearchParams([...consent.fields].filter(([name, value]) => name !== 'scope' || value === 'openid'))
    const first = await sendAs(person, consent.address, { fields: less })
    await sendAs(person, consent.address, { fields: consent.fields })
    const resume = new URL(first.headers.get('location') ?? '', service.issuer).href
    const { body } = await agent.redeem(new URL((await sendAs(person, resume)).headers.get('location') ?? ''))
    expect(body.scope).toBe('openid')
    expect(await grants()).toHaveLength(1)
    expect(await audits()).toEqual(['consent.granted'])
  })

  test('after declining, a second window grants nothing, and after a grant, declining leaves the grant as it is', async () => {
    const refused = await begin()
    await sendAs(refused.person, refused.refuse.address, { fields: refused.refuse.fields })
    await sendAs(refused.person, refused.consent.address, { fields: refused.consent.fields })
    expect([await grants(), await audits()]).toEqual([[], ['consent.refused']])

    const granted = await begin()
    await sendAs(granted.person, granted.consent.address, { fields: granted.consent.fields })
    const answer = await sendAs(granted.person, granted.refuse.address, { fields: granted.refuse.fields })
    const resume = new URL(answer.headers.get('location') ?? '', service.issuer).href
    expect((await sendAs(granted.person, resume)).headers.get('location')).toContain('code=')
    expect([(await grants()).length, await audits()]).toEqual([1, ['consent.granted']])
  })
})
