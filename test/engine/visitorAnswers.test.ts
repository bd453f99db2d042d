import { describe, expect, test } from 'vitest'
import type { ApiResponse, VisitorRead } from '../../src/engine/call.ts'
import { createVisitorAnswers } from '../../src/engine/read/visitorAnswers.ts'
import { operationsIn, resources } from '../../src/school/index.ts'

const [operation, other] = operationsIn(resources)
if (!operation || !other) throw new Error('there are no operations')
const read = (changed: Partial<VisitorRead> = {}): VisitorRead => ({
  schoolId: 'one',
  operation,
  format: 'json',
  parameters: { limit: '20', q: 'clay' },
  ...changed,
})

/** Answers with the number of the call. */
function counting(length = 1) {
  let calls = 0
  const make = async (): Promise<ApiResponse> => {
    calls += 1
    return { status: 200, body: { calls }, text: 'x'.repeat(length) }
  }
  return { make, calls: () => calls }
}

describe('responses to visitors that are kept', () => {
  test('the bytes of a kept response are a separate block of memory, so that the limit of all responses counts them', async () => {
    const answers = createVisitorAnswers({ versionOf: async () => 'a' })
    const { make } = counting(10)
    await answers.answer(read(), make)
    const { bytes } = await answers.answer(read(), make)
    expect([bytes?.toString(), bytes?.buffer.byteLength]).toEqual(['x'.repeat(10), 10])
  })

  test('a response is made again after each change of the content, and used while there is none', async () => {
    let version: string | undefined = 'a'
    const answers = createVisitorAnswers({ versionOf: async () => version })
    const { make, calls } = counting()
    for (const [next, expected] of [
      ['a', 1],
      ['a', 1],
      ['b', 2],
      ['b', 2],
      // Unknown: nothing is used or kept.
      [undefined, 3],
      [undefined, 4],
      ['b', 4],
    ] as const) {
      version = next
      await answers.answer(read(), make)
      expect(calls(), String(next)).toBe(expected)
    }
  })

  test.each<[string, Partial<VisitorRead>]>([
    ['school', { schoolId: 'two' }],
    ['operation', { operation: other }],
    ['tool of the same operation', { operation: { ...operation } }],
    ['format', { format: 'html' }],
    ['parameter', { parameters: { limit: '21', q: 'clay' } }],
    ['value with the text of another', { parameters: { limit: '20","q":"clay' } }],
    ['type of a value', { parameters: { limit: 20, q: 'clay' } }],
    ['number of parameters', { parameters: { limit: '20' } }],
  ])('another %s has another response', async (_name, changed) => {
    const answers = createVisitorAnswers({ versionOf: async () => 'a' })
    const { make, calls } = counting()
    await answers.answer(read(), make)
    await answers.answer(read(changed), make)
    expect(calls()).toBe(2)
    await answers.answer(read(changed), make)
    await answers.answer(read({ parameters: { q: 'clay', limit: '20' } }), make)
    expect(calls()).toBe(2)
  })

  test('concurrent requests make a response once, and a failure is not kept', async () => {
    const answers = createVisitorAnswers({ versionOf: async () => 'a' })
    let calls = 0
    const fail = async (): Promise<ApiResponse> => {
      calls += 1
      throw new Error('unavailable')
    }
    const results = await Promise.allSettled([answers.answer(read(), fail), answers.answer(read(), fail)])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(calls).toBe(1)
    const { make, calls: made } = counting()
    await Promise.all([answers.answer(read(), make), answers.answer(read(), make), answers.answer(read(), make)])
    expect(made()).toBe(1)
  })

  test('a response that was begun before a change is not used after it', async () => {
    let version = 'a'
    const answers = createVisitorAnswers({ versionOf: async () => version })
    const { promise, resolve } = Promise.withResolvers<ApiResponse>()
    const slow = answers.answer(read(), () => promise)
    await Promise.resolve()
    version = 'b'
    const { make, calls } = counting()
    const current = await answers.answer(read(), make)
    resolve({ status: 200, body: { calls: 'before the change' }, text: '' })
    await slow
    expect(await answers.answer(read(), make)).toMatchObject(current)
    expect(calls()).toBe(1)
  })

  test('a stream is made for each request, also for concurrent ones', async () => {
    const answers = createVisitorAnswers({ versionOf: async () => 'a' })
    let calls = 0
    const make = async (): Promise<ApiResponse> => {
      calls += 1
      return { status: 200, body: {}, text: '', stream: { type: 'text/csv', pieces: pieces(), rows: () => 0 } }
    }
    const made = [...(await Promise.all([answers.answer(read(), make), answers.answer(read(), make)])), await answers.answer(read(), make)]
    expect(calls).toBe(3)
    expect(new Set(made.map(({ stream }) => stream)).size).toBe(3)
  })

  test('memory is bounded: a long response is not kept, and others are dropped', async () => {
    const answers = createVisitorAnswers({ versionOf: async () => 'a', maxBytes: 100_000 })
    const { make, calls } = counting(1000)
    for (let page = 0; page < 100; page += 1) await answers.answer(read({ parameters: { page } }), make)
    await answers.answer(read({ parameters: { page: 0 } }), make)
    expect(calls()).toBe(101)
    await answers.answer(read({ parameters: { page: 99 } }), make)
    expect(calls()).toBe(101)
    const long = counting(300_000)
    const unbounded = createVisitorAnswers({ versionOf: async () => 'a' })
    await unbounded.answer(read(), long.make)
    await unbounded.answer(read(), long.make)
    expect(long.calls()).toBe(2)
  })

  test('clear forgets what is kept and what is being made', async () => {
    const answers = createVisitorAnswers({ versionOf: async () => 'a' })
    const { make, calls } = counting()
    const { promise, resolve } = Promise.withResolvers<ApiResponse>()
    const slow = answers.answer(read(), () => promise)
    await Promise.resolve()
    answers.clear()
    resolve({ status: 200, body: {}, text: '' })
    await slow
    await answers.answer(read(), make)
    expect(calls()).toBe(1)
  })
})

async function* pieces(): AsyncGenerator<string> {
  yield 'a'
}
