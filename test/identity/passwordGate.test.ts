import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Problem } from '../../src/base/problem.ts'
import { createPasswordGate, type PasswordCaller } from '../../src/identity/accounts/passwordGate.ts'

const pending = () => Promise.withResolvers<string>()
const somebody: PasswordCaller = { network: '198.51.100.0/24', account: 'a@example.org', isKnown: false }
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

/** A gate with one slot, whose calls are named and end when the test lets them. */
function steppedGate(queue: number) {
  const gate = createPasswordGate({ concurrency: 1, queue })
  const started: string[] = []
  const refused: string[] = []
  const running: (() => void)[] = []
  const call = (name: string, caller: Partial<PasswordCaller> = {}): void => {
    const work = (): Promise<void> => {
      started.push(name)
      return new Promise((resolve) => void running.push(resolve))
    }
    gate({ ...somebody, ...caller }, work).catch(() => refused.push(name))
  }
  return {
    started,
    refused,
    state: gate.state,
    call,
    /** Lets one call end after the other until none is left. */
    async drain() {
      for (let end = running.shift(); end; end = running.shift()) {
        end()
        await nextTurn()
      }
    },
  }
}

describe('the password gate', () => {
  test('so many run, so many wait, and the next is sent away with Retry-After', async () => {
    const gate = createPasswordGate({ concurrency: 2, queue: 1 })
    const jobs = [pending(), pending(), pending()]
    const started: number[] = []
    const run = (index: number) =>
      gate(somebody, () => {
        started.push(index)
        return jobs[index]?.promise ?? Promise.resolve('')
      })
    const answers = [run(0), run(1), run(2)]
    const failure = await gate(somebody, async () => 'never').catch((error: unknown) => error)
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
    const answers = [gate(somebody, () => first.promise), gate(somebody, () => second.promise)]
    first.resolve('first')
    await answers[0]
    let started = false
    const late = gate(somebody, async () => {
      started = true
    })
    await nextTurn()
    expect(started).toBe(false)
    second.resolve('second')
    await late
    expect(started).toBe(true)
  })

  test('work that fails frees its place', async () => {
    const gate = createPasswordGate({ concurrency: 1, queue: 0 })
    for (let count = 0; count < 3; count++)
      await expect(gate(somebody, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
    expect(await gate(somebody, async () => 'fine')).toBe('fine')
  })

  test('never runs more concurrently than allowed', async () => {
    const gate = createPasswordGate({ concurrency: 3, queue: 100 })
    let running = 0
    let most = 0
    await Promise.all(
      Array.from({ length: 60 }, () =>
        gate(somebody, async () => {
          most = Math.max(most, ++running)
          await nextTurn()
          running--
        }),
      ),
    )
    expect(most).toBe(3)
  })

  test('networks take turns, and so do the accounts of a network', async () => {
    const { call, started, drain } = steppedGate(20)
    call('running')
    for (const name of ['a1', 'a2', 'a3']) call(name, { network: 'one', account: 'a' })
    call('b1', { network: 'one', account: 'b' })
    for (const name of ['c1', 'c2']) call(name, { network: 'two', account: 'c' })
    await drain()
    expect(started).toEqual(['running', 'a1', 'c1', 'b1', 'c2', 'a2', 'a3'])
  })

  test('a network that comes again after its turn waits for those that were there before', async () => {
    const { call, started, drain } = steppedGate(20)
    call('running')
    call('a1', { network: 'one' })
    for (const name of ['b1', 'b2']) call(name, { network: 'two' })
    await nextTurn()
    const drained = drain()
    await nextTurn()
    call('a2', { network: 'one' })
    await drained
    expect(started).toEqual(['running', 'a1', 'b1', 'b2', 'a2'].filter((name) => started.includes(name)))
    expect(started.indexOf('b1')).toBeLessThan(started.indexOf('a2'))
  })

  test('a full queue has a place for another network, and for another account of the same network', async () => {
    const { call, refused, started, drain } = steppedGate(4)
    call('running')
    for (const name of ['a1', 'a2', 'a3', 'a4']) call(name, { network: 'one', account: 'a' })
    call('b1', { network: 'two', account: 'b' })
    call('c1', { network: 'one', account: 'c' })
    call('a5', { network: 'one', account: 'a' })
    await drain()
    expect(refused).toEqual(['a4', 'a3', 'a5'])
    expect(started).toEqual(['running', 'a1', 'b1', 'c1', 'a2'])
  })

  test('a quarter of the places and every second turn are kept for known browsers', async () => {
    const { call, refused, started, drain } = steppedGate(4)
    call('running')
    for (const name of ['a', 'b', 'c', 'd']) call(name, { network: name })
    call('known', { network: 'e', isKnown: true })
    call('known again', { network: 'f', isKnown: true })
    await drain()
    expect(refused).toEqual(['d', 'known again'])
    expect(started.slice(0, 3)).toContain('known')
  })

  test('every call ends, and a caller with one call is refused only if each caller has one', async () => {
    const caller = fc.record({ network: fc.constantFrom('a', 'b', 'c'), account: fc.constantFrom('x', 'y'), isKnown: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(fc.array(caller, { maxLength: 40 }), fc.integer({ min: 0, max: 12 }), async (callers, queue) => {
        const { call, refused, started, drain, state } = steppedGate(queue)
        for (const [index, one] of callers.entries()) call(String(index), one)
        await nextTurn()
        expect(state()).toEqual({ running: Math.min(1, callers.length), waiting: Math.min(queue, Math.max(0, callers.length - 1)) })
        await drain()
        expect([...refused, ...started].toSorted((a, b) => Number(a) - Number(b))).toEqual(callers.map((_, index) => String(index)))
        expect(state()).toEqual({ running: 0, waiting: 0 })
      }),
    )
  })

  test('one call of a network is served whatever another network sends before and after', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('x', 'y', 'z'), { minLength: 1, maxLength: 30 }),
        fc.array(fc.constantFrom('x', 'y', 'z'), { maxLength: 30 }),
        fc.integer({ min: 4, max: 8 }),
        async (before, after, queue) => {
          const { call, refused, started, drain } = steppedGate(queue)
          for (const account of before) call(account, { network: 'many', account })
          call('victim', { network: 'quiet' })
          for (const account of after) call(account, { network: 'many', account })
          await drain()
          expect(refused).not.toContain('victim')
          expect(started.indexOf('victim')).toBeLessThanOrEqual(2)
        },
      ),
    )
  })
})
