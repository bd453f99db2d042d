import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { duringTests } from '../../support/duringTests.ts'
import { differences, type LaneProbe, type ProbedHandler, probeHandler } from '../../support/laneProbes.ts'
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
