import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addPersonTo } from '../../support/addPersonTo.ts'
import { type Agent, agentOf, createAgent, personCalled, withToken } from '../../support/agent.ts'
import { availableServices, redisUrl, throwawayPostgres } from '../../support/databases.ts'
import type { Person } from '../../support/person.ts'
import { until, untilServed } from '../../support/poll.ts'
import { createHome, freePort, type Home, type ServiceProcess, startProcess } from '../../support/process.ts'

const { postgresql, redis } = await availableServices()

/** Two processes of one school on one PostgreSQL and one Redis, as behind a gateway. */
interface Pair {
  first: Agent
  /** The same client at the other process. */
  second: Agent
  person: Person
  stop(): Promise<void>
}

async function startPair(refresh_window_seconds: number): Promise<Pair> {
  const port = await freePort()
  const issuer = `http://127.0.0.1:${port}`
  const { url, drop } = await throwawayPostgres()
  const home: Home = await createHome({ oauth: { refresh_window_seconds }, issuer })
  const environment = { DATABASE_URL: url, REDIS_URL: redisUrl, DEMO: 'off' }
  const one: ServiceProcess = await startProcess({ home, port, environment })
  const two: ServiceProcess = await startProcess({ home, environment })
  const email = 'learner@example.org'
  await addPersonTo(url, { email })
  const first = await createAgent(issuer)
  return {
    first,
    second: { ...agentOf(two.issuer, first.clientId, undefined, first.redirectUri), verifier: first.verifier },
    person: personCalled(email),
    async stop() {
      await Promise.all([one.stop(), two.stop()])
      await drop()
      await home.remove()
    },
  }
}

const each = <Value>(count: number, work: (at: number) => Promise<Value>): Promise<Value[]> =>
  Promise.all(Array.from({ length: count }, (_, at) => work(at)))

describe.runIf(postgresql && redis)('over two processes on PostgreSQL and Redis', () => {
  let pair: Pair
  beforeAll(async () => {
    pair = await startPair(10)
  })
  afterAll(() => pair?.stop())

  test('one code redeemed 50 times concurrently returns the same tokens 50 times, and after the window it revokes them (D1)', async () => {
    const { first, second, person } = pair
    const redirect = await first.send(person)
    const parameters = { redirect_uri: first.redirectUri, code_verifier: first.verifier }
    const answers = await each(50, (at) => untilServed(() => (at % 2 ? first : second).redeem(redirect, parameters)))
    expect(new Set(answers.map(({ status, body }) => `${status} ${JSON.stringify(body)}`)).size).toBe(1)
    const tokens = answers[0]?.body
    for (const { issuer } of [first, second]) expect((await withToken(`${issuer}/api/v1/account`, tokens.access_token)).status).toBe(200)
    await until(async () => (await second.redeem(redirect, parameters)).status === 400, { what: 'the window to end' })
    for (const { issuer } of [first, second]) expect((await withToken(`${issuer}/api/v1/account`, tokens.access_token)).status).toBe(401)
    expect((await first.refresh(tokens.refresh_token)).body.error).toBe('invalid_grant')
  })

  test('a code that one process redeemed is refused without its verifier at the other, and its tokens end', async () => {
    const { first, second, person } = pair
    const redirect = await first.send(person)
    const { body: tokens } = await first.redeem(redirect)
    const stolen = await second.redeem(redirect, { code_verifier: 'x'.repeat(43) })
    expect([stolen.status, stolen.body.error]).toEqual([400, 'invalid_grant'])
    expect((await withToken(`${first.issuer}/api/v1/account`, tokens.access_token)).status).toBe(401)
  })

  test('one refresh token used 20 times concurrently returns the same successor 20 times, and after the window it revokes the grant (D3)', async () => {
    const { first, second, person } = pair
    const { body: tokens } = await first.tokens(person)
    const answers = await each(20, (at) => untilServed(() => (at % 2 ? first : second).refresh(tokens.refresh_token)))
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    const successor = answers[0]?.body
    for (const { issuer } of [first, second]) expect((await withToken(`${issuer}/api/v1/account`, successor.access_token)).status).toBe(200)
    await until(async () => (await second.refresh(tokens.refresh_token)).status === 400, { what: 'the window to end' })
    expect((await first.refresh(successor.refresh_token)).body.error).toBe('invalid_grant')
    for (const { issuer } of [first, second]) expect((await withToken(`${issuer}/api/v1/account`, successor.access_token)).status).toBe(401)
  })

  test('a token that one process revokes is immediately invalid at the other', async () => {
    const { first, second, person } = pair
    const { body } = await first.tokens(person)
    expect((await withToken(`${second.issuer}/api/v1/account`, body.access_token)).status).toBe(200)
    await first.post('/api/oauth/revoke', { token: body.refresh_token })
    expect((await withToken(`${second.issuer}/api/v1/account`, body.access_token)).status).toBe(401)
  })
})

describe.runIf(postgresql && redis)('with the window off', () => {
  test('one refresh token and one code used 20 times concurrently over two processes each succeed at most once', async () => {
    const pair = await startPair(0)
    try {
      const redirect = await pair.first.send(pair.person)
      const parameters = { redirect_uri: pair.first.redirectUri, code_verifier: pair.first.verifier }
      const exchanges = await each(20, (at) => untilServed(() => (at % 2 ? pair.first : pair.second).redeem(redirect, parameters)))
      const [won, ...more] = exchanges.filter(({ status }) => status === 200)
      expect([more, exchanges.filter(({ body }) => body.error === 'invalid_grant')].map(({ length }) => length)).toEqual([0, 19])
      expect((await pair.first.refresh(won?.body.refresh_token)).body.error).toBe('invalid_grant')
      const { body: tokens } = await pair.first.tokens(pair.person)
      const answers = await each(20, (at) => untilServed(() => (at % 2 ? pair.first : pair.second).refresh(tokens.refresh_token)))
      expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
      expect(answers.every(({ status }) => status === 200 || status === 400)).toBe(true)
    } finally {
      await pair.stop()
    }
  })
})
