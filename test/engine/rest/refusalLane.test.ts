import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { duringTests } from '../../support/duringTests.ts'
import { differences, type LaneProbe, type LaneReply, type ProbedHandler, probeHandler } from '../../support/laneProbes.ts'
import { startService } from '../../support/service.ts'

const service = duringTests(() => startService())
let handler: ProbedHandler
const get = (path: string, ...headers: string[]): LaneProbe => ({ method: 'GET', path, headers })
const token = ['authorization', 'Bearer none']

beforeAll(async () => {
  handler = await probeHandler(service.app.handler, [get('/api/v1/nothing'), get('/api/v1/nothing', ...token)], 404)
})
afterAll(() => handler.close())

const compared = async (probe: LaneProbe) => {
  const [one, other] = [await handler.send(probe), await handler.sendAround(probe)]
  return { differences: differences(one, other), isFromLane: one.isFromLane, isAroundLane: !other.isFromLane }
}

test.each([
  get('/api/v1/nothing'),
  get('/api/v1/course'),
  get('/api/v1/wp-login.php?x=1&x=2'),
  get('/api/v1/courses/one/nothing'),
  get('/api/v1/webhooks'),
  get('/api/v1/.env', 'accept', 'text/html', 'if-none-match', '*', 'cookie', 'language=de'),
  get(`/api/v1/${'x'.repeat(300)}`, ...token),
  { ...get('/api/v1/nothing'), method: 'HEAD' },
])('$method $path of no operation gets from the lane what the pipeline would send', async (probe) => {
  expect(await compared(probe)).toEqual({ differences: [], isFromLane: true, isAroundLane: true })
})

test.each([
  get('/api/v1/nothing', 'origin', 'https://app.example'),
  get('/api/v1/nothing%20else'),
  get('/api/v1/nothing/'),
  get('/api/v1/openapi.json'),
  get('/api/v1/courses'),
  get('/api/v1/courses/none'),
  get('/api/v1/courses/none/publish'),
  get('/nothing'),
  { ...get('/api/v1/nothing'), method: 'POST' },
  { ...get('/api/v1/nothing'), body: 'x' },
])('$method $path goes through the pipeline', async (probe) => {
  expect((await handler.send(probe)).isFromLane).toBe(false)
})

describe.each([
  ['without limits', false],
  ['with limits', true],
])('reads with a token that is not of the service, %s', (_name, isLimited) => {
  const own = duringTests(() => startService({ isLimited }))
  let tokens: ProbedHandler
  const headers: Record<string, string[]> = {
    malformed: ['authorization', 'Bearer x'],
    'of another scheme': ['authorization', 'Basic YTpi'],
    empty: ['authorization', ''],
    twice: ['authorization', 'Bearer none', 'authorization', 'Bearer none'],
    'without tags': ['authorization', `Bearer ${'unknown'.repeat(6)}`],
  }
  const sent = Object.entries(headers).flatMap(([kind, header]) =>
    ['/api/v1/courses', '/api/v1/courses/none?expand=lecturers', '/api/v1/orders'].map((path) => ({ kind, probe: get(path, ...header) })),
  )
  beforeAll(async () => {
    const learnt = [get('/api/v1/courses', ...(headers.malformed ?? [])), get('/api/v1/courses', ...(headers['without tags'] ?? []))]
    tokens = await probeHandler(own.app.handler, learnt, 401)
  })
  afterAll(() => tokens.close())

  test.each(sent)('get from the lane what the pipeline would send: $kind, $probe.path', async ({ probe }) => {
    const [one, other] = [await tokens.send(probe), await tokens.sendAround(probe)]
    // Each of the two requests is counted.
    const left = (reply: LaneReply): number => Number(/;r=(\d+)/.exec(String(reply.headers.ratelimit ?? ';r=0'))?.[1])
    const isCount = (line: string): boolean => line.startsWith('ratelimit: ')
    expect([one.isFromLane, other.isFromLane, differences(one, other).filter((line) => !isCount(line))]).toEqual([true, false, []])
    expect(left(one) - left(other)).toBe(isLimited ? 1 : 0)
    expect(one.headers.ratelimit === undefined).toBe(!isLimited)
  })

  test('that a store may know go through the pipeline, and so do others that the lane does not read', async () => {
    const none = headers['without tags'] ?? []
    const tagged = ['authorization', `Bearer ${'unknown'.repeat(6)}~tag~tag`]
    const probes = [
      get('/api/v1/courses', ...tagged),
      get('/api/v1/courses', 'authorization', `Bearer ${'unknown'.repeat(6)}.tag.tag`),
      get('/api/v1/courses', ...none, 'accept', 'text/csv'),
      get('/api/v1/courses?csv', ...none),
      get('/api/v1/courses?c%73v', ...none),
      { ...get('/api/v1/courses', ...none), method: 'HEAD' },
      { ...get('/api/v1/courses', ...none), method: 'POST' },
      get('/api/v1/search?q=x', ...none),
    ]
    for (const probe of probes) expect([probe.path, (await tokens.send(probe)).isFromLane]).toEqual([probe.path, false])
  })

  test.runIf(isLimited)('are refused by the limit of visitors', async () => {
    const probe = get('/api/v1/courses', ...(headers.malformed ?? []))
    await expect.poll(async () => (await tokens.send(probe)).status, { timeout: 20_000, interval: 0 }).toBe(429)
  })
})

test('generated addresses get the same response both ways', async () => {
  const segment = fc.oneof(
    fc.string({ unit: fc.constantFrom(...'abcdeors_-.%/~1'), minLength: 1, maxLength: 12 }),
    fc.constantFrom('courses', 'orders', 'student', 'account', 'openapi.json', '..', 'bulk'),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(segment, { minLength: 1, maxLength: 3 }), fc.boolean(), async (segments, hasToken) => {
      const { differences: found } = await compared(get(`/api/v1/${segments.join('/')}`, ...(hasToken ? token : [])))
      expect(found.filter((line) => !/^ratelimit/i.test(line))).toEqual([])
    }),
    { numRuns: 150 },
  )
})
