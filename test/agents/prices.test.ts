import { describe, expect, test } from 'vitest'
import { pricesOf } from '../../src/agents/pricingMd.ts'

const eur = (amount: number) => ({ amount, currency: 'EUR' })

describe('rows with a price', () => {
  test('is once for a thing, with its former price and how long it is open', () => {
    const row = {
      id: 'crs_1',
      title: 'Clay',
      price: eur(8900),
      compare_at_price: eur(12_000),
      subtitle: 'Ten pots',
      access_duration_days: 90,
    }
    expect(pricesOf(row)).toEqual([
      { amount: '89.00', currency: 'EUR', period: 'once', notes: ['Ten pots', 'open for 90 days', 'formerly 120.00'] },
    ])
  })

  test('is one line for each price of a plan that one can pay now', () => {
    const prices = [
      { interval: 'month', interval_count: 1, amount: eur(1900), trial_days: 14, active: true },
      { interval: 'month', interval_count: 3, amount: eur(4900), trial_days: 0, active: true },
      { interval: 'year', interval_count: 1, amount: eur(0), active: true },
      { interval: 'one_time', amount: eur(50_000), active: true },
      { interval: 'year', amount: eur(1), active: false },
    ] as const
    expect(pricesOf({ id: 'mpl_1', name: 'All in', prices, badge: 'Popular', benefits: ['Everything'] })).toEqual([
      { amount: '19.00', currency: 'EUR', period: 'month', notes: ['first 14 days free', 'Popular', 'Everything'] },
      { amount: '49.00', currency: 'EUR', period: '3 months', notes: ['Popular', 'Everything'] },
      { amount: '0.00', currency: 'EUR', period: 'year', notes: ['Popular', 'Everything'] },
      { amount: '500.00', currency: 'EUR', period: 'once', notes: ['Popular', 'Everything'] },
    ])
  })

  test.each([
    ['EUR', 5, '0.05'],
    ['JPY', 500, '500'],
    ['KWD', 1500, '1.500'],
    ['USD', 99_999_999_999, '999999999.99'],
  ])('has the digits of its currency: %s', (currency, amount, text) => {
    expect(pricesOf({ id: 'x', price: { amount, currency } })[0]?.amount).toBe(text)
  })

  test('is nothing where there is no price', () => {
    expect(pricesOf({ id: 'x', price: null })).toEqual([])
  })
})
