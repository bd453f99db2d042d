import { describe, expect, test } from 'vitest'
import { allFailures } from './failures/allFailures.ts'
import { allowanceText, anyFailure, nothing, rejections } from './failures/failure.ts'
import { judgeEvents, judgeLife, judgeNumbers, judgeRejections, judgeRows, judgeService, type StoredRow } from './judge.ts'
import { createLedger, markerIn } from './ledger.ts'
import { createMonitor } from './monitor.ts'
import { plants } from './plants.ts'

/** Plants errors in what a run observes: a run of `npm run soak` must report each. */
const stored: StoredRow[] = [
  { table: 'course', id: 'crs_1', value: 'soak000001 7', marker: 'soak000001' },
  { table: 'course', id: 'crs_2', value: 'soak000002', marker: 'soak000002' },
]
const markers = new Set(['soak000001', 'soak000002', 'soak000003'])
const course = (id: string, ...values: string[]) => ({ table: 'course', id, values })
const refused = { status: 503, retryAfter: '1' }

describe('rows', () => {
  test('the acknowledged value, or one of those whose change got no response, is right; a row without a response may exist', () => {
    expect(judgeRows([course('crs_1', 'soak000001', 'soak000001 7')], stored, markers)).toEqual([])
  })

  test.each([
    ['an acknowledged row that does not exist', [course('crs_3', 'soak000003')], stored, 'lost: course crs_3'],
    ['an acknowledged change that is undone', [course('crs_2', 'soak000002 5')], stored, 'lost: course crs_2 is "soak000002"'],
    ['a change that nobody sent', [course('crs_1', 'soak000001')], stored, 'instead of "soak000001"'],
    ['one request that created two rows', [], [...stored, { ...stored[1], id: 'crs_9' } as StoredRow], 'twice: course crs_2 and crs_9'],
    ['a row that nobody created', [], [{ table: 'post', id: 'pst_1', value: 'soak9', marker: 'soak900000' }], 'unknown marker'],
  ])('%s is reported', (_what, expected, rows, problem) => {
    expect(judgeRows(expected, rows, markers).join('\n')).toContain(problem)
  })
})

describe('tokens and sessions', () => {
  test.each([
    ['live', true],
    ['dead', false],
    ['unknown', true],
    ['unknown', false],
  ] as const)('%s and active %s is right', (life, isActive) => {
    expect(judgeLife('the token', life, isActive)).toEqual([])
  })

  test('an invalidated token that is accepted, and a valid one that is not, are reported', () => {
    expect(judgeLife('the token', 'dead', true)).toEqual(['valid again: the token was invalidated and is accepted'])
    expect(judgeLife('the token', 'live', false)).toEqual(['lost: the token is valid and is not accepted'])
  })
})

describe('sequences', () => {
  test('numbers in any order without a gap are right', () => {
    expect(judgeNumbers('invoices', ['INV-2026-000002', 'INV-2026-000001'])).toEqual([])
  })

  test.each([
    ['a gap', ['INV-2026-000001', 'INV-2026-000003']],
    ['a repetition', ['INV-2026-000001', 'INV-2026-000001']],
    ['a missing first number', ['INV-2026-000002']],
  ])('%s is reported', (_what, numbers) => {
    expect(judgeNumbers('invoices', numbers)).toHaveLength(1)
  })

  const event = (id: string, resource: string, version: number) => ({ id, resource, version })

  test('events of several objects, each in order, are right', () => {
    const events = [event('a', 'crs_1', 1), event('b', 'crs_2', 1), event('c', 'crs_1', 2)]
    expect(judgeEvents('change feed', events, new Map([['crs_1', 2]]))).toEqual([])
  })

  test.each([
    ['a gap', [event('a', 'crs_1', 1), event('b', 'crs_1', 3)], 'version 3 of crs_1 came after version 1'],
    ['another order', [event('a', 'crs_1', 2), event('b', 'crs_1', 1)], 'version 1 of crs_1 came after version 2'],
    ['the same event twice', [event('a', 'crs_1', 1), event('a', 'crs_1', 1)], 'a came twice'],
    ['one version as two events', [event('a', 'crs_1', 1), event('b', 'crs_1', 1)], 'version 1 of crs_1 came after version 1'],
    ['a missing acknowledged version', [event('a', 'crs_2', 1)], 'version 1 of crs_1 is missing'],
  ])('%s is reported', (_what, events, problem) => {
    expect(judgeEvents('webhooks', events, new Map([['crs_1', 1]])).join('\n')).toContain(problem)
  })
})

describe('responses', () => {
  test.each([
    ['success', { status: 200, retryAfter: undefined }, nothing],
    ['an error of the caller', { status: 404, retryAfter: undefined }, nothing],
    ['503 during an outage', refused, rejections],
    ['502 of the gateway while a process is killed', { status: 502, retryAfter: undefined }, anyFailure],
    ['a broken connection while a process is killed', undefined, anyFailure],
  ])('%s is right', (_what, observed, allowed) => {
    expect(judgeService(observed, allowed)).toEqual([])
  })

  test.each([
    ['500 during an outage', { status: 500, retryAfter: '1' }, anyFailure, 'status 500'],
    ['503 without Retry-After during an outage', { status: 503, retryAfter: undefined }, anyFailure, '503 without Retry-After'],
    ['429 without Retry-After', { status: 429, retryAfter: '0' }, rejections, '429 without Retry-After'],
    ['a broken connection while PostgreSQL is stopped', undefined, rejections, 'no response'],
    ['502 while PostgreSQL is stopped', { status: 502, retryAfter: undefined }, rejections, 'status 502 of the gateway'],
  ])('%s is reported', (_what, observed, allowed, problem) => {
    expect(judgeService(observed, allowed)).toEqual([problem])
  })

  test('a few rejections on a busy machine are right, many without a failure are reported', () => {
    expect([judgeRejections(5, 10), judgeRejections(20, 1000)]).toEqual([[], []])
    expect(judgeRejections(30, 1000)).toEqual(['30 of 1000 requests were refused although nothing failed'])
  })
})

describe('the monitor', () => {
  const request = { target: 'listCourses', method: 'GET', path: '/', headers: {}, role: 'soak', mutations: [] }
  const reply = (status: number) => ({ status, headers: { 'retry-after': '1' }, text: '', milliseconds: 1 })

  test('allows what a failure allows to requests that overlap it, and to no others', () => {
    const monitor = createMonitor(() => [])
    const before = performance.now()
    const failure = monitor.begin('kill -9', anyFailure, 'redis')
    monitor.observe(request, undefined, before)
    failure.end(0)
    expect(monitor.problems).toEqual([])
    expect([monitor.mayHaveLost(before), monitor.mayHaveLost(before, 'checkouts')]).toEqual([true, false])
    const after = performance.now() + 1
    expect([monitor.mayHaveLost(after), monitor.wasDisturbed(after)]).toEqual([false, false])
    monitor.observe(request, undefined, after)
    expect(monitor.problems).toMatchObject([{ failure: 'kill -9', text: 'listCourses: no response', count: 1 }])
  })

  test('reports responses of the wrong kind, and rejections without a failure', () => {
    const monitor = createMonitor(() => ['the body is not JSON'])
    monitor.observe(request, reply(200), performance.now())
    for (let times = 0; times < 6; times += 1) monitor.observe(request, reply(503), performance.now())
    monitor.finish()
    expect(monitor.problems.map(({ text }) => text)).toEqual([
      'listCourses: the body is not JSON',
      '6 of 7 requests were refused although nothing failed',
    ])
    expect(monitor.total).toMatchObject({ answered: 1, refused: 6, lost: 0 })
  })
})

describe('the model', () => {
  test('a planted write that did not happen is reported', () => {
    const ledger = createLedger()
    plants.write?.(ledger)
    expect(judgeRows([...ledger.rows.values()], stored, markers)).toHaveLength(1)
  })

  test('markers are unique and are found in texts', () => {
    const ledger = createLedger()
    const [first, second] = [ledger.mark(), ledger.mark()]
    expect([first === second, ledger.markers.size, markerIn(`${second} 77`), markerIn('none of ours')]).toEqual([false, 2, second, 'none'])
  })
})

describe('the failures', () => {
  test('have different names, and each says how it is caused and undone and what may be answered', () => {
    expect(new Set(allFailures.map(({ name }) => name)).size).toBe(allFailures.length)
    for (const failure of allFailures) expect([failure.cause, failure.undo, allowanceText(failure)]).not.toContain('')
  })
})
