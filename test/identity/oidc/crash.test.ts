import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Agent, type Answer, agentOf, createAgent, personCalled } from '../../support/agent.ts'
import { until } from '../../support/poll.ts'
import { createHome, freePort, type Home, startProcess } from '../../support/process.ts'

let home: Home
beforeAll(async () => {
  home = await createHome()
})
afterAll(() => home.remove())

const rounds = 2

/** The acknowledged responses of one client, which it may rely on. */
interface Acknowledged {
  clients: string[]
  /** The newest refresh token of each grant whose answer arrived, and the one in flight when the process was killed. */
  grants: { agent: Agent; known: string }[]
}

test('a kill -9 during sign-ins and refreshes loses no client and no grant that had been acknowledged', async () => {
  const acknowledged: Acknowledged = { clients: [], grants: [] }
  const port = await freePort()

  for (let round = 0; round < rounds; round += 1) {
    const service = await startProcess({ home, port, hasDemo: true })
    await verify(service.issuer, acknowledged)
    let [isDead, refreshed] = [false, 0]
    const untilDead = async (work: () => Promise<void>): Promise<void> => {
      while (!isDead) {
        try {
          await work()
        } catch {
          return
        }
      }
    }
    const signIns = untilDead(async () => {
      const agent = await createAgent(service.issuer)
      acknowledged.clients.push(agent.clientId)
      const { body } = await agent.tokens(personCalled('learner001@example.org'))
      acknowledged.grants.push({ agent, known: body.refresh_token })
    })
    const refreshes = untilDead(async () => {
      const grant = await until(() => acknowledged.grants.at(-1), { what: 'the first grant' })
      const { status, body } = await grant.agent.refresh(grant.known)
      if (status !== 200) return
      grant.known = body.refresh_token
      refreshed += 1
    })
    const enough = acknowledged.grants.length + 1
    await until(() => acknowledged.grants.length >= enough && refreshed > 0, { what: 'a sign-in and a refresh' })
    await service.kill()
    isDead = true
    await Promise.all([signIns, refreshes])
  }

  const service = await startProcess({ home, port })
  await verify(service.issuer, acknowledged)
  expect(acknowledged.grants.length).toBeGreaterThanOrEqual(rounds)
  expect(await service.stop()).toBe(0)
})

async function verify(issuer: string, { clients, grants }: Acknowledged): Promise<void> {
  for (const id of clients) {
    const known: Answer = await agentOf(issuer, id, undefined, 'http://127.0.0.1:53682/callback').refresh('none')
    expect([id, known.body.error]).toEqual([id, 'invalid_grant'])
  }
  for (const grant of grants) {
    const { status, body } = await grant.agent.refresh(grant.known)
    expect([grant.agent.clientId, status, body.error]).toEqual([grant.agent.clientId, 200, undefined])
    grant.known = body.refresh_token
  }
}
