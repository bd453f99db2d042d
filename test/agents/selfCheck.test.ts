import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkDocuments, type Expected, type Findings } from '../../src/agents/documentChecks.ts'
import { createSelfCheck, type SelfCheckState } from '../../src/agents/selfCheck.ts'
import { type Fetch, overHttp } from '../../src/base/http/inProcess.ts'
import type { School } from '../../src/base/school.ts'
import type { Database } from '../../src/database/connection/database.ts'
import { allScopes, get } from '../support/agent.ts'
import { duringTests } from '../support/duringTests.ts'
import { until } from '../support/poll.ts'
import { startService } from '../support/service.ts'

const expectedOf = (issuer: string): Expected => ({
  issuer,
  scopes: allScopes.split(' '),
  baselineScopes: ['openid', 'profile', 'email', 'account:read', 'courses:read'],
  metadataPaths: ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'],
  isRegistrationOpen: true,
})

async function spoilKeys({ sql }: Database, slug: string): Promise<void> {
  for (const alg of ['RS256', 'ES256']) {
    await sql.query(
      `INSERT INTO signing_key (school_id, kid, alg, private_jwk, active_at) SELECT id, $1, $1, 'spoiled', now() FROM school WHERE slug = $2`,
      [alg, slug],
    )
  }
}

const catalogue = (issuer: string) => get(`${issuer}/api/v1/courses`)

describe('with two schools, one of which cannot answer for its metadata', () => {
  const two = duringTests(() => startService({ schools: 2 }))
  beforeAll(async () => {
    await spoilKeys(two.database, 'second')
    two.app.selfCheck.start()
  })
  afterAll(async () => {
    await two.app.selfCheck.stop()
  })
  const become = (states: Record<string, SelfCheckState>) =>
    until(() => JSON.stringify(two.app.selfCheck.states()) === JSON.stringify(states), { what: JSON.stringify(states) })
  const gauge = async (): Promise<string> => (await two.app.metrics.render()).text
  const logged = (message: string) =>
    two
      .log()
      .split('\n')
      .filter((line) => line.includes(message))
      .map((line) => JSON.parse(line))

  test('the self-check refuses no request, and reports in the summary of /readyz, the log and a metric', async () => {
    await become({ first: 'passed', second: 'unknown' })
    for (const issuer of [two.issuer, two.other]) expect((await catalogue(issuer)).status).toBe(200)
    expect((await get(`${two.other}/api/v1/school`)).status).toBe(200)
    expect(two.app.selfCheck.summary()).toMatchObject({
      ...{ passed: 1, pending: 0, failed: {} },
      unknown: { second: expect.arrayContaining(['/.well-known/oauth-authorization-server answers 500']) },
    })
    expect(logged('self-check passed')).toMatchObject([{ school: 'first' }])
    expect(logged('self-check got no response')[0]).toMatchObject({ level: 40, school: 'second', retry_in_seconds: 1 })
    expect(await gauge()).toContain('schoolgate_self_check{school="first",state="passed"} 1')
    expect(await gauge()).toContain('schoolgate_self_check{school="second",state="unknown"} 1')
    expect(await gauge()).toContain('schoolgate_self_check{school="second",state="passed"} 0')
  })

  test('it is repeated until it passes, without a request from outside', async () => {
    await two.database.sql.query("DELETE FROM signing_key WHERE private_jwk = 'spoiled'")
    await become({ first: 'passed', second: 'passed' })
    expect(await gauge()).toContain('schoolgate_self_check{school="second",state="passed"} 1')
  })

  test('it runs again after a reload', async () => {
    const before = logged('self-check passed').length
    await two.reload({ schools: 2 })
    await until(() => logged('self-check passed').length === before + 2, { what: 'both schools to be checked again' })
  })
})

describe('the checks', () => {
  const service = duringTests(() => startService())
  let real: Fetch
  const answers = new Map<string, ReturnType<Fetch>>()
  beforeAll(() => {
    real = overHttp({ host: '127.0.0.1', port: Number(new URL(service.issuer).port) })
  })

  /** Returns the findings of the checks if `change` rewrites the responses of the service. */
  async function findingsWith(change: (path: string, text: string) => string, expected: Partial<Expected> = {}): Promise<Findings> {
    const ask: Fetch = async (address, request) => {
      const key = `${request?.method} ${address}`
      const answer = answers.get(key) ?? real(address, request)
      answers.set(key, answer)
      return { ...(await answer), text: change(new URL(address).pathname, (await answer).text) }
    }
    return checkDocuments(ask, { ...expectedOf(service.issuer), ...expected })
  }

  test('find nothing where the documents are right', async () => {
    expect(await findingsWith((_path, text) => text)).toEqual({ contradictions: [], unanswered: [] })
  })

  const edited = (wanted: string, edit: (text: string) => string) => (path: string, text: string) => (path === wanted ? edit(text) : text)
  const metadata = '/.well-known/oauth-authorization-server'
  const inAll = (from: string | RegExp, to: string) => (path: string, text: string) =>
    path.startsWith('/.well-known/o') ? text.replace(from, to) : text

  test.each([
    ['another issuer', inAll(/"issuer":"[^"]*"/, '"issuer":"https://other.example"'), 'name the issuer https://other.example'],
    ['an endpoint that is not there', inAll('/api/oauth/revoke', '/api/oauth/revocation'), 'revocation_endpoint answers 404'],
    [
      'an endpoint of another origin',
      inAll(/"token_endpoint":"http:\/\//, '"token_endpoint":"http://other.'),
      'token_endpoint is not an address of',
    ],
    [
      'an endpoint that does not exist',
      inAll('"issuer"', '"device_authorization_endpoint":"x","issuer"'),
      'device_authorization_endpoint is not an address',
    ],
    ['a scope more', inAll('"openid"', '"openid","grades:read"'), 'scopes_supported is not the catalogue'],
    ['a scope less', inAll('"account:write"', '"account:read"'), 'scopes_supported is not the catalogue'],
    ['agent_auth', inAll('"issuer"', '"agent_auth":{},"issuer"'), 'promise agent_auth'],
    ['other metadata at an alias', edited('/.well-known/openid-configuration', (text) => `${text} `), 'or other metadata than'],
    ['an algorithm without a key', edited(metadata, (text) => text.replace('"RS256"', '"RS256","PS256"')), 'no published key is for PS256'],
    ['a private key', edited('/api/oauth/jwks', (text) => text.replace('"kty"', '"d":"secret","kty"')), 'a published key is private'],
    [
      'another resource',
      edited('/.well-known/oauth-protected-resource/mcp', (text) => text.replace('/mcp"', '/mcp/"')),
      'names the resource',
    ],
    ['a dead link in the index', edited('/llms.txt', (text) => text.replace('/openapi.json', '/openapi.yaml')), 'which answers 404'],
    [
      'a dead address in the walkthrough',
      edited('/auth.md', (text) => text.replace('/api/v1/account', '/api/v1/acount')),
      'which answers 404',
    ],
    [
      'a description of another origin',
      edited('/openapi.json', (text) => text.replace('"servers":[{"url":"', '"servers":[{"url":"https://x.')),
      '/openapi.json answers 200',
    ],
    ['a document that is not JSON', edited('/.well-known/oauth-protected-resource', () => '<html>'), 'names the resource undefined'],
  ])('find %s', async (_what, change, contradiction) => {
    expect((await findingsWith(change)).contradictions.join('\n')).toContain(contradiction)
  })

  test('find a written text that has been changed', async () => {
    const { contradictions } = await findingsWith((_path, text) => text, { alteredTexts: ['docs/courses.md'] })
    expect(contradictions).toEqual(['docs/courses.md is not as it was written'])
  })

  test('request three resources at most if they are brief, and otherwise each of them', async () => {
    const resourcesOf = async (isBrief: boolean): Promise<number> => {
      const requested = new Set<string>()
      const note = (path: string, text: string): string => {
        if (/^\/docs\/\w+\.md$/.test(path)) requested.add(path)
        return text
      }
      expect(await findingsWith(note, { isBrief })).toEqual({ contradictions: [], unanswered: [] })
      return requested.size
    }
    expect([await resourcesOf(true), (await resourcesOf(false)) > 20]).toEqual([expect.toSatisfy((count) => count > 0 && count <= 4), true])
  })

  test('find a registration that is promised and closed', async () => {
    expect((await findingsWith((_path, text) => text, { isRegistrationOpen: false })).contradictions).toEqual([
      'registration_endpoint does not follow the configuration',
    ])
  })

  test.each([
    ['an error of the server', async () => ({ status: 503, headers: {}, text: '' }), '/openapi.json answers 503'],
    ['a time-out', () => Promise.reject(new Error('no response within 10 s')), '/openapi.json: no response within 10 s'],
  ] as [string, Fetch, string][])('take %s for no contradiction', async (_what, fail, reason) => {
    const ask: Fetch = (address, request) => (address.endsWith('/openapi.json') ? fail : real)(address, request)
    const found = await checkDocuments(ask, expectedOf(service.issuer))
    expect(found).toEqual({ contradictions: [], unanswered: [reason] })
  })

  test('give up after three requests without a response, and keep the contradictions that they found', async () => {
    let requests = 0
    const found = await checkDocuments(async (address) => {
      requests += 1
      return { status: address.endsWith('/.well-known/oauth-authorization-server') ? 404 : 500, headers: {}, text: '' }
    }, expectedOf(service.issuer))
    expect(found.contradictions).toContain('/.well-known/oauth-authorization-server answers 404')
    expect(found.unanswered).toHaveLength(3)
    expect(requests).toBeLessThan(10)
  })
})

describe('the background check', () => {
  const service = duringTests(() => startService())

  test('reports a contradiction as failed, and passes once it is gone', async () => {
    const real = overHttp({ host: '127.0.0.1', port: Number(new URL(service.issuer).port) })
    let isWrong = true
    const reported: unknown[] = []
    const check = createSelfCheck({
      ask: async (address, request) => {
        const answer = await real(address, request)
        const text = isWrong && address.endsWith('/openapi.json') ? answer.text.replace('"servers":[', '"servers":[{},') : answer.text
        return { ...answer, text }
      },
      schools: () => service.app.schools.all.map(({ school }) => school),
      expected: ({ issuer }) => expectedOf(issuer),
      report: ({ slug }, { state, problems, retrySeconds }) => reported.push([slug, state, problems.length, retrySeconds]),
    })
    check.start()
    await until(() => reported.length >= 2, { what: 'a second check' })
    expect(reported.slice(0, 2)).toEqual([
      ['first', 'failed', 1, 1],
      ['first', 'failed', 1, 2],
    ])
    expect(check.summary()).toMatchObject({ failed: { first: [expect.stringContaining('/openapi.json')] }, unknown: {} })
    isWrong = false
    await until(() => check.states().first === 'passed', { what: 'the check to pass' })
    await check.stop()
  })

  test.each([
    ['waits for a request under way', 50],
    ['but not for one that hangs', 2 ** 31 - 1],
  ])('a stop %s', async (_name, milliseconds) => {
    const { promise: asked, resolve } = Promise.withResolvers<void>()
    let finished = 0
    const check = createSelfCheck({
      async ask() {
        resolve()
        await setTimeout(milliseconds, undefined, { ref: false })
        finished += 1
        throw new Error('no response')
      },
      schools: () => service.app.schools.all.map(({ school }) => school),
      expected: ({ issuer }) => expectedOf(issuer),
      report: () => expect.unreachable('a stopped check reports nothing'),
    })
    check.start()
    await asked
    await check.stop()
    expect(finished > 0).toBe(milliseconds < 1000)
    expect(check.states()).toEqual({ first: 'pending' })
  })

  test('leaves no audit row, no request in the log and none in the metrics', async () => {
    const { app, database } = service
    const requestsIn = async (): Promise<string[]> =>
      (await app.metrics.render()).text.split('\n').filter((line) => line.startsWith('schoolgate_request_seconds_count'))
    const [log, requests] = [service.log(), await requestsIn()]
    app.selfCheck.start()
    await until(() => app.selfCheck.states().first === 'passed', { what: 'the check to pass' })
    await app.selfCheck.stop()
    expect(await database.sql.query('SELECT event FROM audit_log')).toEqual([])
    expect(await requestsIn()).toEqual(requests)
    const lines = service.log().slice(log.length).split('\n').filter(Boolean)
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['self-check passed'])
  })
})

const schoolsOf = (count: number): School[] =>
  Array.from({ length: count }, (_, index) => ({ id: `id-${index}`, slug: `school-${index}`, issuer: `http://127.0.0.1:${2000 + index}` }))

/** The self-check of schools whose documents cannot be requested. A pause lasts until `next`, or until the check is stopped. */
function checkOf(count: number) {
  const waiting: (() => void)[] = []
  let checked = 0
  const selfCheck = createSelfCheck({
    ask: () => Promise.reject(new Error('no response')),
    schools: () => schoolsOf(count),
    expected: ({ issuer }) => ({ issuer, scopes: [], baselineScopes: [], metadataPaths: ['/metadata'], isRegistrationOpen: true }),
    report: () => {
      checked += 1
    },
    pause: (_milliseconds, signal) =>
      new Promise((resume) => {
        waiting.push(resume)
        signal.addEventListener('abort', () => resume())
      }),
  })
  return { selfCheck, checked: () => checked, waiting }
}

test('few schools are checked one after the other without a pause', async () => {
  const { selfCheck, checked, waiting } = checkOf(10)
  selfCheck.start()
  await until(() => checked() >= 10, { what: 'all schools to be checked' })
  await selfCheck.stop()
  expect(waiting).toEqual([])
})

test('the check of one of many schools waits for the pause after the previous one, and a stop does not', async () => {
  const { selfCheck, checked, waiting } = checkOf(1000)
  selfCheck.start()
  for (const count of [1, 2, 3]) {
    await until(() => waiting.length === count, { what: `pause ${count}` })
    expect(checked()).toBe(count)
    if (count < 3) waiting.at(-1)?.()
  }
  await selfCheck.stop()
  expect(checked()).toBe(3)
})
