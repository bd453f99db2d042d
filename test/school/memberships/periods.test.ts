import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { nextPeriodEnd, plusMonths } from '../../../src/school/memberships/periods.ts'
import { type Cause, stateAfter, statesBefore, subscriptionStates } from '../../../src/school/memberships/subscriptionTransitions.ts'

const at = (text: string): Date => new Date(`${text}T09:30:00.000Z`)
const monthly = { interval: 'month', interval_count: 1 }
const starts = fc.date({ min: at('2000-01-01'), max: at('2090-12-31'), noInvalidDate: true })
const periods = fc.record({ interval: fc.constantFrom('month', 'year'), interval_count: fc.integer({ min: 1, max: 24 }) })

test('a month that is too short ends on its last day, and the next comes back to the day of the start', () => {
  const ends: string[] = []
  let end = at('2026-01-31')
  for (let count = 0; count < 5; count++) {
    end = nextPeriodEnd(at('2026-01-31'), monthly, end) as Date
    ends.push(end.toISOString())
  }
  expect(ends).toEqual(['2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31', '2026-06-30'].map((day) => `${day}T09:30:00.000Z`))
  expect(plusMonths(at('2024-02-29'), 12)).toEqual(at('2025-02-28'))
  expect(plusMonths(at('2024-02-29'), 48)).toEqual(at('2028-02-29'))
})

test('a one-time payment has no end', () => {
  expect(nextPeriodEnd(at('2026-01-31'), { interval: 'one_time', interval_count: 1 }, at('2026-01-31'))).toBeNull()
})

test('whatever the start, periods follow each other without a gap, whole, at the time of day of the start, and are the first behind their place', () => {
  void fc.assert(
    fc.property(starts, periods, fc.integer({ min: 0, max: 5000 }), (start, period, days) => {
      const after = new Date(start.getTime() + days * 86_400_000)
      const end = nextPeriodEnd(start, period, after) as Date
      const step = period.interval_count * (period.interval === 'year' ? 12 : 1)
      const months = (end.getUTCFullYear() - start.getUTCFullYear()) * 12 + end.getUTCMonth() - start.getUTCMonth()
      expect(end > after).toBe(true)
      expect(months % step).toBe(0)
      expect(plusMonths(start, months - step) <= after).toBe(true)
      expect(end.getTime() % 86_400_000).toBe(start.getTime() % 86_400_000)
      const isLastDay = new Date(end.getTime() + 86_400_000).getUTCDate() === 1
      expect(end.getUTCDate() === start.getUTCDate() || (isLastDay && end.getUTCDate() < start.getUTCDate())).toBe(true)
    }),
  )
})

test('ended subscriptions stay ended, and every other one can end', () => {
  const causes: Cause[] = ['paid', 'unpaid', 'canceled', 'given_up', 'paused', 'resumed']
  for (const state of ['canceled', 'expired']) for (const cause of causes) expect(stateAfter(state, cause)).toBeUndefined()
  for (const state of subscriptionStates.slice(0, 5))
    expect([state, stateAfter(state, 'canceled') ?? stateAfter(state, 'given_up')]).not.toEqual([state, undefined])
  expect(statesBefore('paused')).toEqual(['trialing', 'active'])
  expect(statesBefore('paid')).toEqual(['incomplete', 'trialing', 'active', 'past_due'])
})
