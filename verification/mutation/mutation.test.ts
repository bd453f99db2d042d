import { expect, test } from 'vitest'
import { type CallRecord, callersOf } from './callMap.ts'
import { mutantsOf } from './mutants.ts'
import { draw, seededRandom } from './sample.ts'

const changesOf = (text: string): string[] => mutantsOf('src/a.ts', text).map(({ what }) => what)

test('a mutant is one small change of the code, and an equation is changed once', () => {
  expect(changesOf('if (a === b) run(c)\n')).toEqual(['=== became !==', 'removed: run(c)'])
  expect(changesOf('const d = a < b ? true : c.where(b)\n')).toEqual([
    'negated: a < b',
    '< became <=',
    'true became false',
    'removed: .where(b)',
  ])
  const [mutant] = mutantsOf('src/a.ts', '// A comment\nrun(a && b)\n').filter(({ what }) => what.startsWith('&&'))
  expect(mutant).toEqual({ file: 'src/a.ts', line: 2, column: 7, start: 19, end: 21, replacement: '||', what: '&& became ||' })
})

test('code without an effect on a guarantee has no mutants', () => {
  expect(
    changesOf(`import { type A } from './a.ts'
interface B { is: true }
stores.log.warn({ is: a && b }, 'text')
timer.unref()
const error = new RangeError(a ? 'one' : 'two')
const problem = new Problem('gone', { description: a ? 'one' : 'two' })
const field = text({ example: true })
memo.set(a, b)
`),
  ).toEqual([])
  expect(mutantsOf('src/database/redis/redisSpans.ts', 'run(a && b)\n')).toEqual([])
})

test('the condition on the school has no mutants where the handle adds it', () => {
  const query =
    "run.where('school_id', '=', id).whereRef('a.school_id', '=', 'b.school_id').where('school.id', '=', school.id).where('id', '=', schoolId)"
  expect(mutantsOf('src/school/a.ts', `const rows = ${query}\n`)).toEqual([])
  expect(mutantsOf('src/database/a.ts', `const rows = ${query}\n`)).toHaveLength(4)
  expect(mutantsOf('src/school/a.ts', `const rows = ${query}.where('id', '=', id)\n`).map(({ what }) => what)).toEqual([
    "removed: .where('id', '=', id)",
  ])
})

test('the same seed draws the same sample, in the order of the source', () => {
  const items = Array.from({ length: 100 }, (_, at) => at)
  const drawn = draw(items, 10, seededRandom(7))
  expect(draw(items, 10, seededRandom(7))).toEqual(drawn)
  expect(draw(items, 10, seededRandom(8))).not.toEqual(drawn)
  expect(drawn).toHaveLength(10)
  expect(drawn.toSorted((a, b) => a - b)).toEqual(drawn)
})

test('tests are chosen by what they execute: the block, and the innermost function around it', () => {
  const record = (test: string, running: CallRecord['running'], hash = 'now'): CallRecord => {
    return { test, hash: '', seconds: 1, passed: true, running, loading: {}, hashes: { 'src/a.ts': hash } }
  }
  const records = [
    record('whole', { 'src/a.ts': [[10, 20, 30, []]] }),
    record('partly', { 'src/a.ts': [[10, 20, 20, [[16, 20]]]] }),
    record('around', { 'src/a.ts': [[5, 90, 99, []]] }),
    record('before the change', { 'src/a.ts': [[50, 60, 1, []]] }, 'earlier'),
    record('another file', { 'src/b.ts': [[10, 20, 99, []]] }),
  ]
  const callersAt = (start: number): [string, number, number][] =>
    callersOf(records, { file: 'src/a.ts', start }, 'now').map(({ test, callsPerSecond, executed }) => [test, callsPerSecond, executed])
  const before: [string, number, number] = ['before the change', 0.5, 10]
  expect(callersAt(15)).toEqual([['whole', 15, 10], ['partly', 10, 6], before])
  expect(callersAt(17)).toEqual([['whole', 15, 10], before])
  expect(callersAt(30)).toEqual([['around', 49.5, 85], before])
  expect(callersAt(95)).toEqual([before])
})
