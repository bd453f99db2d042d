import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { json } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Agent, agentOf, createAgent, withToken } from '../support/agent.ts'
import { until } from '../support/poll.ts'
import { createHome, freePort, type Home, type ServiceProcess, startProcess } from '../support/process.ts'
import { learner } from './demo.ts'

let home: Home
const begun: ServiceProcess[] = []

beforeEach(async () => {
  // On a busy machine the test needs a while to see that the port is closed and to finish its request.
  home = await createHome({ server: { shutdown_seconds: 120 } })
})
afterEach(async () => {
  for (const service of begun.splice(0)) await service.kill()
  await home.remove()
})

async function start(options: Omit<Parameters<typeof startProcess>[0], 'home'>): Promise<ServiceProcess> {
  const service = await startProcess({ home, ...options })
  begun.push(service)
  return service
}

/** A refresh whose body stops in the middle: the service has read the head and waits for the rest. */
async function beginRefresh(issuer: string, { clientId }: Agent, refreshToken: string): Promise<{ finish(): Promise<Answered> }> {
  const body = new URLSearchParams({ grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken }).toString()
  const sent = request(`${issuer}/api/oauth/token`, {
    method: 'POST',
    agent: false,
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'content-length': body.length, expect: '100-continue' },
  })
  const answered = once(sent, 'response')
  answered.catch(() => undefined)
  await once(sent, 'continue')
  sent.write(body.slice(0, 20))
  return {
    async finish() {
      sent.end(body.slice(20))
      const [response] = (await answered) as [IncomingMessage]
      return { status: response.statusCode, body: (await json(response)) as Answered['body'] }
    },
  }
}

interface Answered {
  status: number | undefined
  body: Record<'access_token' | 'refresh_token', string>
}

const isRefused = async (issuer: string): Promise<boolean> =>
  fetch(issuer).then(
    () => false,
    (error) => error.cause?.code === 'ECONNREFUSED',
  )

test('SIGTERM ends the service with 0 once requests in flight are answered, and `npm start` on the same data goes on from there', async () => {
  const port = await freePort()
  const first = await start({ port, viaNpm: true, hasDemo: true })
  const agent = await createAgent(first.issuer)
  const { body: tokens } = await agent.tokens(learner())
  const refresh = await beginRefresh(first.issuer, agent, tokens.refresh_token)
  const code = first.stop()
  await until(() => isRefused(first.issuer), { what: 'the port to close' })
  const answer = await refresh.finish()
  expect(answer.status).toBe(200)
  expect(await code).toBe(0)

  const second = await start({ port, viaNpm: true })
  expect((await withToken(`${second.issuer}/api/v1/account`, answer.body.access_token)).status).toBe(200)
  const again = await agentOf(second.issuer, agent.clientId, undefined, agent.redirectUri).refresh(answer.body.refresh_token)
  expect([again.status, again.body.error]).toEqual([200, undefined])
})

test('a second service on the same data directory ends with 1 and says who holds it and what to do, and the first goes on', async () => {
  const first = await start({ viaNpm: true, hasDemo: true })
  for (const viaNpm of [false, true]) {
    const refused = String(await startProcess({ home, viaNpm }).catch((error) => error))
    expect(refused).toMatch(/the service ended with 1: .*"reason":"the data in.*"msg":"cannot start"/s)
    expect(refused).toMatch(/is in use by process \d+ on .+ DATABASE_URL/)
    expect(refused).not.toMatch(/^\s+at /m)
  }
  const agent = await createAgent(first.issuer)
  expect((await agent.tokens(learner())).status).toBe(200)
})
