import { beforeAll, expect, test } from 'vitest'
import { addDays, daysBetween } from '../../src/base/days.ts'
import { inSchool } from '../../src/database/school/inSchool.ts'
import { answerReport, type Report } from '../../src/school/analytics/report.ts'
import { activeStudents } from '../../src/school/analytics/reports/activeStudents.ts'
import { completion, medianOf } from '../../src/school/analytics/reports/completion.ts'
import { coupons } from '../../src/school/analytics/reports/coupons.ts'
import { enrollments } from '../../src/school/analytics/reports/enrollments.ts'
import { events } from '../../src/school/analytics/reports/events.ts'
import { orders } from '../../src/school/analytics/reports/orders.ts'
import { overview } from '../../src/school/analytics/reports/overview.ts'
import { revenue } from '../../src/school/analytics/reports/revenue.ts'
import { subscriptions } from '../../src/school/analytics/reports/subscriptions.ts'
import { refreshSchool } from '../../src/school/analytics/rollups/refreshSchool.ts'
import { openTestDatabase } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { type MadeRows, makeRows } from './analyticsRows.ts'
import { countRows, type Figures } from './analyticsSums.ts'

const now = new Date('2026-11-20T10:00:00Z')
const all = { from: '2026-01-01', to: '2026-11-20' } as const
const additive = [revenue, orders, enrollments, completion, subscriptions, coupons, events, overview]
/** Levels, rates and distinct counts, which are not sums of their parts. */
const notAdded = /percent|average|median|at_end|trialing|mrr|live_|active_students|_active/

const opened = duringTests(openTestDatabase)
let made: MadeRows
let figures: Record<string, Figures>
beforeAll(async () => {
  made = await makeRows(opened.database.sql, { seed: 23, timeZone: 'Europe/Berlin', size: 60 })
  await refreshSchool(opened.database, { schoolId: made.schoolId, now })
  figures = countRows(made, now)
})

interface Answer {
  totals: Record<string, unknown>
  compare: { from: string; to: string; totals: Record<string, unknown> } | null
  series: ({ date: string } & Record<string, unknown>)[]
  groups: ({ key: string; title: string | null } & Record<string, unknown>)[] | null
}
const answer = async (report: Report, asked: object = all, lecturer?: { id: string | null }): Promise<Answer> =>
  (await answerReport(
    report,
    { database: inSchool(opened.database.kysely, made.schoolId), now, lecturer },
    { ...asked, filters: asked as Record<string, unknown> },
  )) as unknown as Answer
/** An amount or a number. */
const plain = (value: unknown): number =>
  typeof value === 'object' && value !== null ? (value as { amount: number }).amount : (value as number)
const sumOf = (table: string, measure: string, of: (name: string) => boolean = () => true): number =>
  Object.entries(figures[table] as Figures).reduce((sum, [name, line]) => sum + (of(name) ? (line[measure] ?? 0) : 0), 0)

test.each([
  [revenue, 'product'],
  [revenue, 'product_type'],
  [revenue, 'coupon'],
  [revenue, 'source'],
  [enrollments, 'course'],
  [enrollments, 'source'],
  [completion, 'course'],
  [coupons, undefined],
] as const)(
  'the series of each group of $0.name by $1 make up the group, and amounts of all groups the totals',
  async (report, group_by) => {
    for (const interval of ['week', 'month']) {
      const { groups, totals, series } = await answer(report, { ...all, interval, group_by })
      expect(groups?.length).toBeGreaterThan(0)
      for (const group of groups ?? []) {
        const ofGroup = group.series as Answer['series']
        expect(ofGroup.map(({ date }) => date)).toEqual(series.map(({ date }) => date))
        for (const [name, value] of Object.entries(totals)) {
          const sum = ofGroup.reduce((all, element) => all + plain(element[name]), 0)
          const whole = name === 'active_at_end' ? ofGroup.at(-1)?.[name] : sum
          if (name === 'active_at_end' || !notAdded.test(name))
            expect([group.key, interval, name, whole]).toEqual([group.key, interval, name, plain(group[name])])
          else expect(value === null || ofGroup.every((element) => name in element)).toBe(true)
        }
      }
      for (const [name, value] of Object.entries(totals)) {
        if (notAdded.test(name) || typeof value !== 'object') continue
        expect([name, (groups ?? []).reduce((all, group) => all + plain(group[name]), 0)]).toEqual([name, plain(value)])
      }
    }
  },
)

test('more values by group than a response can have are refused', async () => {
  const figures = { over: () => ({ sold: 1 }) }
  const group = { key: 'one', title: null, line: { sold: 1 }, figures }
  const many: Report = { name: 'many', read: async () => figures, groups: async () => Array(10).fill(group), show: (line) => line }
  const asked = { from: '2025-01-01', to: '2026-11-20' }
  await expect(answer(many, { ...asked, interval: 'day' })).rejects.toMatchObject({
    code: 'invalid_parameter',
    details: [{ field: 'interval', message: expect.stringContaining('Use a longer interval or fewer days') }],
  })
  expect((await answer(many, asked)).groups).toHaveLength(10)
})

test.each(additive)('the elements of the series of $name make up its totals, whatever the interval', async (report) => {
  const totals = (await answer(report)).totals
  for (const interval of ['day', 'week', 'month']) {
    const { series } = await answer(report, { ...all, interval })
    for (const [name, value] of Object.entries(totals)) {
      if (notAdded.test(name)) continue
      expect([interval, name, series.reduce((sum, element) => sum + plain(element[name]), 0)]).toEqual([interval, name, plain(value)])
    }
  }
  expect((await answer(report, { ...all, interval: 'day' })).series).toHaveLength(daysBetween(all.from, all.to) + 1)
})

test('totals are the sums over the rows', async () => {
  const school = (measure: string) => sumOf('analytics_daily_school', measure)
  expect((await answer(revenue)).totals).toMatchObject({
    gross: { amount: school('gross'), currency: 'EUR' },
    net: { amount: school('gross') - school('discounts') - school('refunds') },
    orders: school('orders'),
    average_order: { amount: Math.round((school('gross') - school('discounts')) / school('orders')) },
  })
  const isAny = (name: string) => name.includes(' any ')
  expect((await answer(orders)).totals).toMatchObject({
    placed: sumOf('analytics_daily_order', 'placed', isAny),
    refunded: sumOf('analytics_daily_order', 'refunded', isAny),
  })
  const course = (measure: string) => sumOf('analytics_daily_course', measure)
  expect((await answer(enrollments)).totals).toEqual({
    new: course('enrolled'),
    canceled: course('canceled'),
    expired: course('expired'),
    active_at_end: course('enrolled') - course('canceled') - course('expired'),
  })
  expect((await answer(subscriptions)).totals).toMatchObject({
    new: sumOf('analytics_daily_plan', 'started'),
    active_at_end: sumOf('analytics_daily_plan', 'active_change'),
    mrr: { amount: sumOf('analytics_daily_plan', 'mrr_change') },
  })
  expect((await answer(events)).totals).toMatchObject({ rsvps: sumOf('analytics_daily_event', 'rsvps') })
})

test('a level at the end of a part of the time is what the days up to it made it', async () => {
  const [from, to] = ['2026-03-20', '2026-04-02']
  const until = (table: string, measure: string) => sumOf(table, measure, (name) => name.slice(0, 10) <= to)
  expect((await answer(subscriptions, { from, to })).totals).toMatchObject({
    active_at_end: until('analytics_daily_plan', 'active_change'),
    trialing: until('analytics_daily_plan', 'trialing_change'),
    mrr: { amount: until('analytics_daily_plan', 'mrr_change') },
  })
  const { totals, series } = await answer(enrollments, { from, to, interval: 'day' })
  expect(totals.active_at_end).toBe(
    until('analytics_daily_course', 'enrolled') - until('analytics_daily_course', 'canceled') - until('analytics_daily_course', 'expired'),
  )
  expect(series.at(-1)?.active_at_end).toBe(totals.active_at_end)
})

test('revenue in parts adds up to the whole, and orders are counted once in each part', async () => {
  const whole = (await answer(revenue)).totals
  for (const group_by of ['product', 'product_type', 'source', 'coupon']) {
    const groups = (await answer(revenue, { ...all, group_by })).groups ?? []
    for (const name of ['gross', 'discounts', 'refunds', 'tax', 'net']) {
      expect([group_by, name, groups.reduce((sum, group) => sum + plain(group[name]), 0)]).toEqual([group_by, name, plain(whole[name])])
    }
  }
  const [only] = (await answer(revenue, { ...all, group_by: 'product_type' })).groups ?? []
  expect(only).toMatchObject({ key: 'course', orders: whole.orders })
  for (const course of made.rows.course ?? []) {
    const isIn = made.rows.orders?.filter(
      (order) =>
        order.currency === 'EUR' &&
        order.paid_at &&
        made.rows.order_item?.some((line) => line.order_id === order.id && line.product_id === course.id),
    )
    const { totals } = await answer(revenue, { ...all, product: { type: 'course', id: course.id } })
    expect(totals.orders).toBe(isIn?.length)
  }
  const withCoupon = made.rows.orders?.filter(({ currency, paid_at, coupon_id }) => currency === 'EUR' && paid_at && coupon_id) ?? []
  const byCoupon = (await answer(revenue, { ...all, group_by: 'coupon' })).groups ?? []
  expect(byCoupon).toHaveLength(2)
  expect(byCoupon.find(({ title }) => title === 'KILN25')).toMatchObject({ orders: withCoupon.length })
  expect(byCoupon.find(({ key }) => key === 'none')).toMatchObject({ title: null, orders: plain(whole.orders) - withCoupon.length })
  expect((await answer(coupons)).groups).toHaveLength(1)
  await expect(answer(revenue, { ...all, currency: 'USD' })).rejects.toMatchObject({ code: 'invalid_parameter' })
})

test('a lecturer sees own courses and nothing of the others', async () => {
  const [lecturer] = made.lecturers as [string]
  const own = new Set(made.rows.course_lecturer?.filter(({ lecturer_id }) => lecturer_id === lecturer).map(({ course_id }) => course_id))
  const enrolled = made.rows.enrollment?.filter(({ course_id }) => own.has(course_id)).length
  expect(own.size).toBe(2)
  expect((await answer(enrollments, all, { id: lecturer })).totals.new).toBe(enrolled)
  expect((await answer(enrollments, { ...all, group_by: 'course' }, { id: lecturer })).groups).toHaveLength(2)
  expect((await answer(enrollments, all, { id: null })).totals.new).toBe(0)
  const foreign = made.rows.course?.find(({ id }) => !own.has(id))?.id
  for (const report of [enrollments, completion, activeStudents]) {
    const { totals, series } = await answer(report, { ...all, course: foreign }, { id: lecturer })
    const numbers = [totals, ...series].flatMap(({ date, ...line }) => Object.values(line))
    expect([report.name, numbers.every((value) => !value)]).toEqual([report.name, true])
  }
  expect((await answer(events, all, { id: lecturer })).totals.published).toBe(0)
})

test('a period is compared with as many days immediately before it, or with the same days a year before', async () => {
  const march = { from: '2026-03-01', to: '2026-03-31' }
  const before = await answer(enrollments, { ...march, compare: 'previous_period' })
  expect(before.compare).toMatchObject({ from: '2026-01-29', to: '2026-02-28' })
  expect(before.compare?.totals).toEqual((await answer(enrollments, { from: '2026-01-29', to: '2026-02-28' })).totals)
  const leap = await answer(enrollments, { from: '2028-02-29', to: '2028-03-01', compare: 'previous_year' })
  expect(leap.compare).toMatchObject({ from: '2027-02-28', to: '2027-03-01' })
})

test('a week begins on a Monday, a month on its first, and both are cut by the days asked for', async () => {
  const weeks = await answer(enrollments, { from: '2026-03-04', to: '2026-03-18', interval: 'week' })
  expect(weeks.series.map(({ date }) => date)).toEqual(['2026-03-02', '2026-03-09', '2026-03-16'])
  const months = await answer(enrollments, { from: '2026-01-31', to: '2026-03-01', interval: 'month' })
  expect(months.series.map(({ date }) => date)).toEqual(['2026-01-01', '2026-02-01', '2026-03-01'])
  expect(months.series[0]?.new).toBe((await answer(enrollments, { from: '2026-01-31', to: '2026-01-31' })).totals.new)
})

test('the interval follows from the span where none is asked for, and the default is the last 30 days', async () => {
  expect(await answer(orders, {})).toMatchObject({ from: addDays('2026-11-20', -29), to: '2026-11-20', interval: 'day' })
  expect(await answer(orders, { from: '2026-06-01', to: '2026-07-31' })).toMatchObject({ interval: 'week' })
  expect(await answer(orders, { from: '2025-01-01', to: '2026-12-31' })).toMatchObject({ interval: 'month' })
})

test.each([
  { from: '2026-03-02', to: '2026-03-01' },
  { from: '2024-01-01', to: '2026-01-01' },
  { from: '0001-01-01', to: '0001-01-02' },
  { to: '9999-12-31' },
])('invalid or too many days are rejected: %o', async (asked) => {
  await expect(answer(orders, asked)).rejects.toMatchObject({ code: 'invalid_parameter' })
})

test('days that have not come yet have nothing, and levels go on', async () => {
  const { series } = await answer(subscriptions, { from: '2026-11-20', to: '2026-12-10', interval: 'day' })
  expect(new Set(series.map(({ active_at_end }) => active_at_end)).size).toBe(1)
  expect(series.at(-1)).toMatchObject({ new: 0, ended: 0 })
})

test('the median is the middle one', () => {
  expect(medianOf([])).toBeNull()
  expect(medianOf([{ days: 9, completions: 1 }])).toBe(9)
  expect(
    medianOf([
      { days: 20, completions: 1 },
      { days: 1, completions: 1 },
      { days: 5, completions: 1 },
    ]),
  ).toBe(5)
  expect(
    medianOf([
      { days: 2, completions: 3 },
      { days: 8, completions: 2 },
    ]),
  ).toBe(2)
})
