import { expect, test } from 'vitest'
import { subscriptions } from '../../src/school/analytics/reports/subscriptions.ts'

const churn = (line: { ended: number; active_before: number; active_change: number }): unknown =>
  subscriptions.show(line as never, ((amount: number) => ({ amount, currency: 'EUR' })) as never).churn_rate_percent

test('the churn rate is the share of ended subscriptions in the average of those at the beginning and at the end', () => {
  expect(churn({ ended: 10, active_before: 100, active_change: 100 })).toBe(10)
  expect(churn({ ended: 41, active_before: 2, active_change: 80 })).toBe(100)
  // A school that grows from few subscriptions has no rate of thousands of percent.
  expect(churn({ ended: 41, active_before: 2, active_change: 408 })).toBe(20)
  expect(churn({ ended: 0, active_before: 0, active_change: 0 })).toBe(0)
})
