import { describe, expect, test } from 'vitest'
import { statisticsSections } from '../../../src/pages/account/school/statisticsSections.ts'
import { contentPart, createTexts } from '../../../src/pages/texts.ts'
import { duringTests } from '../../support/duringTests.ts'
import { startService } from '../../support/service.ts'
import { signedIn } from './account.ts'

const service = duringTests(() =>
  startService({
    people: [{ email: 'owner@example.com', role: 'owner' }, { email: 'learner@example.com' }, { email: 'rowan@example.com' }],
  }),
)
const owner = duringTests(() => signedIn(service, 'owner@example.com'))
const learner = duringTests(() => signedIn(service, 'learner@example.com'))

const paths = ['/account/school/people', '/account/school/statistics']

test.each(paths)('%s exists for owners and admins only, and is linked', async (path) => {
  expect((await learner.get(path)).status).toBe(404)
  expect((await owner.get(path)).status).toBe(200)
  expect((await owner.get('/account/school')).html).toContain(`href="${path}"`)
  expect((await owner.get(`${path}?lang=de`)).html).toContain('<html lang="de">')
  await owner.get(`${path}?lang=en`)
})

describe('the page of people', () => {
  test('finds people by a part of the name or the address', async () => {
    const everybody = (await owner.get('/account/school/people')).html
    expect(everybody).toContain('learner@example.com')
    const { html } = await owner.get('/account/school/people?q=rowan')
    expect([html.includes('rowan@example.com'), html.includes('learner@example.com')]).toEqual([true, false])
    expect(html).toContain('value="rowan"')
    expect(html).toContain('<form method="get" action="/account/school/people" role="search">')
  })

  test('says that nobody was found, and that a page with a wrong cursor does not exist', async () => {
    expect((await owner.get('/account/school/people?q=nobody-at-all')).html).toContain('Nobody was found.')
    expect((await owner.get('/account/school/people?q=x')).status).toBe(200)
    expect((await owner.get('/account/school/people?students=wrong')).status).toBe(404)
  })
})

describe('the page of statistics', () => {
  test('has seven figures, and says that there is nothing to draw and what invoices lack', async () => {
    const { html } = await owner.get('/account/school/statistics')
    expect(html.match(/<dt>/g)).toHaveLength(7)
    expect(html.match(/Nothing in this period\./g)).toHaveLength(2)
    expect(html).toContain('href="/account/school/set-up#details"')
  })

  test('takes 7, 30 and 365 days and a free range, and names what is wrong with one', async () => {
    for (const days of [7, 30, 365])
      expect((await owner.get(`/account/school/statistics?days=${days}`)).html).toContain(`aria-current="true">${days} days</a>`)
    const free = await owner.get('/account/school/statistics?from=2026-03-01&to=2026-03-31')
    expect(free.html).toMatch(/>1 March 2026<.*>31 March 2026</)
    for (const wrong of ['from=2026-03-31&to=2026-03-01', 'from=1&to=2', 'from=2020-01-01&to=2026-01-01', 'from=2026-02-30&to=2026-03-01'])
      expect((await owner.get(`/account/school/statistics?${wrong}`)).html).toContain('the earlier one first')
  })

  test('shows the rows behind a figure, and knows no course of another school', async () => {
    const { html } = await owner.get('/account/school/statistics?rows=new_students')
    expect(html).toContain('learner@example.com')
    for (const rows of ['orders', 'enrollments', 'active_students', 'nothing'])
      expect((await owner.get(`/account/school/statistics?rows=${rows}`)).status).toBe(200)
    expect((await owner.get('/account/school/statistics?course=crs_01jgwejj00e6srgkpqm2sqf05m')).status).toBe(404)
    expect((await owner.get('/account/school/statistics?course=%00')).status).toBe(404)
  })

  test('draws a bar for each day, below zero for a day with refunds only, and has the values in a table', () => {
    const figures = (amount: number, enrollments: number) => ({
      ...{ revenue_net: { amount, currency: 'EUR' }, mrr: { amount: 0, currency: 'EUR' }, orders: 1, new_students: 0, enrollments },
      ...{ new_members: 0, completions: 0, active_students: 0, live_subscriptions: 0 },
    })
    const days = { from: '2026-03-01', to: '2026-03-03' }
    const [, numbers, revenue, enrollments] = statisticsSections(createTexts('en'), {
      ...{ query: { ...days, days: undefined, course: undefined, isWrong: false }, course: undefined, courses: [], lacksDetails: false },
      overview: {
        ...{ ...days, object: 'analytics.report', report: 'overview', interval: 'day', time_zone: 'UTC', currency: 'EUR' },
        ...{ as_of: null, complete_through: null },
        totals: figures(2000, 2),
        compare: { from: '2026-02-26', to: '2026-02-28', totals: figures(1000, 0) },
        series: [
          { date: '2026-03-01', ...figures(3000, 2) },
          { date: '2026-03-02', ...figures(-1000, 0) },
          { date: '2026-03-03', ...figures(0, 0) },
        ],
      },
    })
    expect(numbers?.tiles?.slice(0, 2).map(({ value, before }) => [value, before])).toEqual([
      ['€20.00', 'Before: €10.00 (+100%)'],
      ['1', 'Before: 1'],
    ])
    expect(numbers?.tiles?.[3]?.before).toBe('Before: 0')
    expect(revenue?.chart?.bars.map(({ y, height, title }) => [y, height, title])).toEqual([
      [0, 30, '1 March 2026: €30.00'],
      [30, 10, '2 March 2026: -€10.00'],
      [30, 0, '3 March 2026: €0.00'],
    ])
    expect([revenue?.chart?.zero, revenue?.chart?.top, revenue?.chart?.dates]).toEqual([
      30,
      '€30.00',
      ['1 March 2026', '2 March 2026', '3 March 2026'],
    ])
    expect(revenue?.table?.rows.map(({ cells: [day, value] }) => [day, value])).toEqual([
      [[contentPart('3 March 2026')], [contentPart('€0.00')]],
      [[contentPart('2 March 2026')], [contentPart('-€10.00')]],
      [[contentPart('1 March 2026')], [contentPart('€30.00')]],
    ])
    expect(enrollments?.chart?.bars).toHaveLength(3)
  })
})
