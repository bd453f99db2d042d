import { describe, expect, test } from 'vitest'
import { type Agent, answer, createAgent, personCalled } from '../support/agent.ts'
import { duringTests } from '../support/duringTests.ts'
import { startService } from '../support/service.ts'

const service = duringTests(() =>
  startService({
    isLimited: true,
    server: { apps: { outgoing_delay: 120 } },
    people: [{ email: 'owner@example.com', role: 'owner' }, { email: 'learner@example.com' }],
  }),
)

const address = () => `${service.issuer}/api/v1/account/authorizations/current`

async function connected(email: string, scope = 'openid account:read account:write courses:read courses:write') {
  const agent = await createAgent(service.issuer)
  const { body } = await agent.tokens(personCalled(email), { scope }, { scopes: 'all' })
  return { agent, headers: { authorization: `Bearer ${body.access_token}` } }
}

const read = (headers: Record<string, string>) => answer(fetch(address(), { headers }))

const grantsOf = ({ clientId }: Agent) =>
  service.database.sql.query<{ id: string }>('SELECT id FROM oidc_grant WHERE client_id = $1', [clientId])

describe('the contract of an app', () => {
  test('has what was granted and refused, the end, the rules and the remaining requests', async () => {
    const agent = await createAgent(service.issuer)
    const scope = 'openid account:read courses:read courses:write'
    const { body: tokens } = await agent.tokens(personCalled('owner@example.com'), { scope })
    await service.database.sql.query('UPDATE school SET app_rules = $1', [
      { pause_unusual: true, second_person: true, ask_above: { rows: 20, amount: 5000 } },
    ])
    const { status, body } = await read({ authorization: `Bearer ${tokens.access_token}` })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      object: 'app_contract',
      authorization: { client: { client_id: agent.clientId }, scopes: ['account:read', 'courses:read', 'openid'], paused_at: null },
      refused_scopes: ['courses:write'],
      withheld_scopes: [],
      asks_first: false,
      rules: {
        longest_days: null,
        pauses_unusual: true,
        asks_above: { rows: 20, people: null, amount: 5000 },
        second_person: true,
        outgoing_delay: 120,
      },
      waiting: [],
    })
    expect(new Date(body.authorization.expires_at).getTime()).toBeGreaterThan(Date.now())
    const limit = body.limits.find(({ name }: { name: string }) => name === 'default')
    expect(limit.remaining).toBeLessThan(limit.requests)
    await service.database.sql.query(`UPDATE school SET app_rules = '{}'`)
  })

  test('lists the requests that wait with their addresses, and never those of another app', async () => {
    const [one, other] = [await connected('owner@example.com'), await connected('owner@example.com')]
    for (const { agent } of [one, other])
      await service.database.sql.query('UPDATE oidc_grant SET asks_first = true WHERE client_id = $1', [agent.clientId])
    const { body: asked } = await answer(fetch(`${service.issuer}/api/v1/account/calendar/renew`, { method: 'POST', headers: one.headers }))
    expect(asked.error).toBe('approval_required')
    const { id, url } = asked.details[0].meta
    const { body } = await read(one.headers)
    expect(body.asks_first).toBe(true)
    expect(body.waiting).toEqual([
      { id, url, name: null, operation: 'renewCalendar', created_at: expect.any(String), expires_at: expect.any(String) },
    ])
    expect((await read(other.headers)).body.waiting).toEqual([])
    const [grant] = await grantsOf(one.agent)
    const guessed = await fetch(`${service.issuer}/api/v1/account/authorizations/${grant?.id}`, { headers: other.headers })
    expect(guessed.status).toBe(405)
  })

  test('needs a token of an app: a visitor gets no contract', async () => {
    expect((await read({})).status).toBe(403)
  })
})
