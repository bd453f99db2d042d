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
  test('has six figures, says that there is nothing to draw, and where courses are edited', async () => {
    const { html } = await owner.get('/account/school/statistics')
    expect(html.match(/<dt>/g)).toHaveLength(6)
    expect(html.match(/Nothing in these 30 days\./g)).toHaveLength(2)
    expect(html).toContain('href="/docs/apps"')
  })

  test('draws a bar for each day, below zero for a day with refunds only, and has the values in a table', () => {
    const figures = (amount: number, enrollments: number) => ({
      ...{ revenue_net: { amount, currency: 'EUR' }, orders: 1, new_students: 0, enrollments },
    })
    const [, revenue, enrollments] = statisticsSections(createTexts('en'), {
      ...{ from: '2026-03-01', to: '2026-03-03' },
      totals: { ...figures(2000, 2), active_students: 0, live_subscriptions: 0 },
      series: [
        { date: '2026-03-01', ...figures(3000, 2) },
        { date: '2026-03-02', ...figures(-1000, 0) },
        { date: '2026-03-03', ...figures(0, 0) },
      ],
    })
    expect(revenue?.chart?.bars.map(({ y, height, title }) => [y, height, title])).toEqual([
      [0, 30, '1 March 2026: €30.00'],
      [30, 10, '2 March 2026: -€10.00'],
      [30, 0, '3 March 2026: €0.00'],
    ])
    expect(revenue?.table?.rows.map(({ cells: [day, value] }) => [day, value])).toEqual([
      [[contentPart('2 March 2026')], [contentPart('-€10.00')]],
      [[contentPart('1 March 2026')], [contentPart('€30.00')]],
    ])
    expect(enrollments?.chart?.bars).toHaveLength(3)
  })
})
