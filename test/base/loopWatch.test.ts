import { readFile } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createLoopWatch } from '../../src/base/process/loopWatch.ts'
import { until } from '../support/poll.ts'

/** Blocks the event loop. */
function block(milliseconds: number): void {
  const start = performance.now()
  while (performance.now() - start < milliseconds);
}

/** Something that a request waits for. */
const wait = async (): Promise<void> => void (await readFile(import.meta.filename))

describe('time for which the event loop is blocked is that of the operation whose code runs', () => {
  // Far above what a busy machine adds to the short parts.
  const leastMs = 400
  const owners = (...names: string[]) => {
    const blocked: string[] = []
    const watch = createLoopWatch(leastMs)
    const made = names.map((name) => ({
      blocked: (milliseconds: number) => void blocked.push(`${name} ${milliseconds >= leastMs ? 'long' : 'short'}`),
    }))
    return { watch, blocked, made }
  }

  test('from its start to the end of the turn', async () => {
    const { watch, blocked, made } = owners('one', 'other')
    const [one = { blocked() {} }, other = one] = made
    watch.run(one, () => block(leastMs))
    watch.run(other, () => undefined)
    await setImmediate()
    await setImmediate()
    expect(blocked).toEqual(['one long'])
  })

  test('after a wait, among others that wait', async () => {
    const { watch, blocked, made } = owners('one', 'two', 'three')
    await Promise.all(
      made.map((owner, at) =>
        watch.run(owner, async () => {
          await wait().then(watch.resumed)
          if (at === 1) block(leastMs)
          await wait().then(watch.resumed)
        }),
      ),
    )
    await setImmediate()
    expect(blocked).toEqual(['two long'])
  })

  test('not while it waits', async () => {
    const { watch, blocked, made } = owners('one')
    const [one = { blocked() {} }] = made
    const start = performance.now()
    await watch.run(one, async () => {
      await until(async () => performance.now() - start > 2 * leastMs, { what: 'time to pass' })
      watch.resumed()
    })
    await setImmediate()
    expect(blocked).toEqual([])
  })

  test('until it pauses, which reports the block immediately', () => {
    const { watch, blocked, made } = owners('one')
    const [one = { blocked() {} }] = made
    watch.run(one, () => {
      block(leastMs)
      watch.pause()
      expect(blocked).toEqual(['one long'])
    })
  })
})
