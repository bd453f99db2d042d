import { expect, test } from 'vitest'
import { createSharedClock } from '../../src/database/connection/sharedClock.ts'
import { watchClock } from '../../src/operate/serve/clockWatch.ts'

/** A database whose clock is right, and an answer that takes `roundTrip` milliseconds of the machine's clock. */
function machine({ aheadMs = 0, roundTrip = 10 } = {}) {
  const state = { trueTime: 1_800_000_000_000, aheadMs, roundTrip }
  const clock = createSharedClock(
    {
      kind: 'postgresql',
      sql: {
        async query<Row extends object>() {
          state.trueTime += state.roundTrip / 2
          const rows = [{ at: String(state.trueTime) }]
          state.trueTime += state.roundTrip / 2
          return rows as unknown as Row[]
        },
      },
    },
    () => state.trueTime + state.aheadMs,
  )
  return { state, clock }
}

test.each([300_000, -3_600_000, 2500])('a machine whose clock is wrong by %i ms has the time of the database', async (aheadMs) => {
  const { state, clock } = machine({ aheadMs })
  await clock.measure()
  expect(clock.now()).toBe(state.trueTime)
  expect(clock.aheadSeconds()).toBe(aheadMs / 1000)
  state.aheadMs = 0
  await clock.measure()
  expect(clock.now()).toBe(state.trueTime)
})

test('a difference that the round trip explains is not corrected, and an answer that took too long changes nothing', async () => {
  const { state, clock } = machine({ aheadMs: 400 })
  await clock.measure()
  expect(clock.aheadSeconds()).toBe(0)
  state.aheadMs = 60_000
  state.roundTrip = 5000
  await clock.measure()
  expect(clock.aheadSeconds()).toBe(0)
})

test.each([
  [1500, 0, true],
  [3000, 1, true],
  [11_000, 1, false],
  [-11_000, 1, false],
])('a difference of %i ms logs %i warnings, once, and the check passes: %s', async (aheadMs, warnings, passes) => {
  const lines: string[] = []
  const log = { warn: (_details: object, text: string) => lines.push(text), info: () => undefined }
  const { clock, state } = machine({ aheadMs })
  const watch = await watchClock(clock, { log: log as never, metrics: { collect: () => undefined } })
  expect(lines).toHaveLength(warnings)
  if (passes) await watch.check()
  else await expect(watch.check()).rejects.toThrow(/the clock of this machine is 11\.0 s (ahead of|behind) the database's/)
  state.aheadMs = 0
  await clock.measure()
  await watch.check()
  watch.stop()
})
