import fc from 'fast-check'
import { expect, test } from 'vitest'
import { secondsAhead, shifted } from '../../../src/identity/oidc/sharedTime.ts'

const time = fc.option(fc.integer({ min: 0, max: 4_000_000_000 }), { nil: undefined })
const payloads = fc.record({ iat: time, exp: time, kind: fc.string() }, { requiredKeys: ['kind'] })

test('the times of a payload are stored in the shared time, come back as they were, and stay absent if they were', () => {
  fc.assert(
    fc.property(payloads, fc.integer({ min: -3600, max: 3600 }), (payload, seconds) => {
      const stored = shifted(payload, seconds)
      const moved = (at: number | undefined) => (at === undefined ? undefined : at + seconds)
      expect(stored).toEqual({ ...payload, iat: moved(payload.iat), exp: moved(payload.exp) })
      expect(shifted(stored, -seconds)).toEqual(payload)
    }),
  )
})

test('a process whose clock is behind adds the difference, in whole seconds', () => {
  expect(secondsAhead({ now: () => Date.now() + 300_000 })).toBe(300)
  expect(secondsAhead({ now: () => Date.now() - 300_000 })).toBe(-300)
})
