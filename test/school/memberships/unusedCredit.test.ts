import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nextPeriodEnd } from '../../../src/school/memberships/periods.ts'
import { unusedCredit } from '../../../src/school/memberships/unusedCredit.ts'

const month = { interval: 'month', interval_count: 1 }
const start = new Date('2026-03-01T09:00:00Z')
const end = new Date('2026-04-01T09:00:00Z')
const paid = { status: 'active', amount: '3100', current_period_start: start, current_period_end: end }
const after = (days: number) => new Date(start.getTime() + days * 86_400_000)

test.each([
  ['at its first moment, the whole price', {}, 0, 3100],
  ['after half of it, half the price', {}, 15.5, 1550],
  ['at its end, nothing', {}, 31, 0],
  ['in a trial, nothing', { status: 'trialing' }, 1, 0],
  ['of a payment without a period, nothing', { current_period_end: null }, 1, 0],
  ['of a period that was made longer, not more than the price', { current_period_end: after(90) }, 1, 3100],
  ['after a pause of ten days, the days that are left', { current_period_end: after(41) }, 20, 2100],
])('the credit for unused time is, %s', (_name, row, days, credit) => {
  expect(unusedCredit({ ...paid, ...row }, month, after(days))).toBe(credit)
})

test('credits are whole units between 0 and the price, never rise with time, and lose no unit of two halves', () => {
  const amounts = fc.integer({ min: 0, max: 99_999_999_999 })
  const periods = fc.record({ interval: fc.constantFrom('month', 'year'), interval_count: fc.integer({ min: 1, max: 24 }) })
  const times = fc.date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  const share = fc.double({ min: 0, max: 1, noNaN: true })
  fc.assert(
    fc.property(amounts, periods, times, share, share, (amount, period, from, one, other) => {
      const to = nextPeriodEnd(from, period, from) as Date
      const at = (part: number) => new Date(from.getTime() + Math.round((to.getTime() - from.getTime()) * part))
      const row = { status: 'active', amount: String(amount), current_period_start: from, current_period_end: to }
      const credits = [Math.min(one, other), Math.max(one, other)].map((part) => unusedCredit(row, period, at(part)))
      const [earlier = 0, later = 0] = credits
      for (const credit of credits) expect(Number.isSafeInteger(credit) && credit >= 0 && credit <= amount).toBe(true)
      expect(later).toBeLessThanOrEqual(earlier)
      const used = amount - unusedCredit(row, period, at(one))
      const share = (amount * (at(one).getTime() - from.getTime())) / (to.getTime() - from.getTime())
      expect(Math.abs(used - share)).toBeLessThanOrEqual(1)
    }),
  )
})
