import { describe, expect, test } from 'vitest'
import { createPasswordGate } from '../../src/domain/accounts/passwordGate.ts'
import { Problem } from '../../src/lib/problem.ts'

const pending = () => Promise.withResolvers<string>()

describe('the password gate', () => {
  test('so many run, so many wait, and the next is sent away with Retry-After', async () => {
    const gate = createPasswordGate({ concurrency: 2, queue: 1 })
    const jobs = [pending(), pending(), pending()]
    const started: number[] = []
    const run = (index: number) =>
      gate(() => {
        started.push(index)
        return jobs[index]?.promise ?? Promise.resolve('')
      })
    const answers = [run(0), run(1), run(2)]
    const failure = await gate(async () => 'never').catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(Problem)
    expect(failure).toMatchObject({ code: 'temporarily_unavailable', status: 503, headers: { 'Retry-After': '2' } })
    expect(started).toEqual([0, 1])
    jobs[0]?.resolve('first')
    expect(await answers[0]).toBe('first')
    jobs[2]?.resolve('third')
    expect(await answers[2]).toBe('third')
    jobs[1]?.resolve('second')
    expect(await answers[1]).toBe('second')
  })

  test('a slot that was passed on is not free for later callers', async () => {
    const gate = createPasswordGate({ concurrency: 1, queue: 1 })
    const [first, second] = [pending(), pending()]
    const answers = [gate(() => first.promise), gate(() => second.promise)]
    first.resolve('first')
    await answers[0]
    let started = false
    const late = gate(async () => {
      started = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(started).toBe(false)
    second.resolve('second')
    await late
    expect(started).toBe(true)
  })

  test('work that fails frees its place', async () => {
    const gate = createPasswordGate({ concurrency: 1, queue: 0 })
    for (let count = 0; count < 3; count++) await expect(gate(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
    expect(await gate(async () => 'fine')).toBe('fine')
  })

  test('never runs more concurrently than allowed', async () => {
    const gate = createPasswordGate({ concurrency: 3, queue: 100 })
    let running = 0
    let most = 0
    await Promise.all(
      Array.from({ length: 60 }, () =>
        gate(async () => {
          most = Math.max(most, ++running)
          await new Promise((resolve) => setImmediate(resolve))
          running--
        }),
      ),
    )
    expect(most).toBe(3)
  })
})
