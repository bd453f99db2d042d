// Proves interface: The owner of a school does the jobs of a week on its pages, without scripts and with few presses

import type { Page } from 'playwright-core'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { makeDemoSchool } from '../../src/operate/demo/makeDemoSchool.ts'
import { refreshSchool } from '../../src/school/analytics/rollups/refreshSchool.ts'
import { createAgent, personCalled, withToken } from '../support/agent.ts'
import { hasChromium } from '../support/chromium.ts'
import { duringTests } from '../support/duringTests.ts'
import { password, passwordHash, startService } from '../support/service.ts'
import { openVisitor, signIn } from './visitor.ts'

const owner = 'owner@example.com'

describe.skipIf(!hasChromium())('the weekly jobs of an owner, in Chromium without scripts', () => {
  const visitor = duringTests(() => openVisitor({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } }))
  const service = duringTests(() => startService({ school: { order_url: 'https://shop.example.com/payments/{number}' } }))
  let presses = 0

  beforeAll(async () => {
    const [entry] = service.app.schools.all
    if (!entry) throw new Error('the service has no school')
    await makeDemoSchool(service.database, { school: entry.school, now: new Date(), hashPassword: async () => passwordHash })
    await refreshSchool(service.database, { schoolId: service.schoolId(), now: new Date() })
  })
  beforeEach(async () => {
    await visitor.startOver()
    await visitor.page.goto(`${service.issuer}/account/sign-in`)
    await signIn(visitor.page, owner, password)
    await visitor.page.waitForURL('**/account/school')
    presses = 0
  })
  afterEach(() => {
    expect(visitor.complaints().filter((text) => !text.includes('the server responded with a status of 4'))).toEqual([])
  })

  const open = async (path: string): Promise<Page> => {
    await visitor.page.goto(service.issuer + path)
    return visitor.page
  }
  const follow = async (name: string | RegExp): Promise<void> => {
    presses += 1
    await visitor.page.locator('main').getByRole('link', { name }).first().click()
  }
  const press = async (name: string | RegExp): Promise<void> => {
    presses += 1
    await visitor.page.locator('main').getByRole('button', { name }).first().click()
  }
  /** Follows a link of the menu, which is folded away on a phone. */
  const goTo = async (name: string): Promise<void> => {
    await visitor.page.locator('nav.sections summary').click()
    await follow(new RegExp(`^${name}$`))
  }
  const fill = (label: string | RegExp, text: string): Promise<void> => visitor.page.getByLabel(label).first().fill(text)
  const shows = async (text: string | RegExp): Promise<void> => {
    await visitor.page.locator('main').getByText(text).first().waitFor()
  }

  test('1: sees how the week went', async () => {
    await open('/account/school')
    await shows('Since yesterday')
    await goTo('Statistics')
    await shows('Sales less refunds')
    expect(presses).toBe(1)
  })

  test('2: changes the price of a course with three presses, and takes it back', async () => {
    await open('/courses/clay-from-scratch')
    await follow('Price')
    await fill('Price (EUR)', '99')
    await press('Continue')
    await shows(/€89\.00.*€99\.00/)
    await press('Save')
    expect(presses).toBe(3)
    await shows('€99.00')
    await follow('Take back the last change')
    await press('Take it back')
    await open('/courses/clay-from-scratch')
    await shows('€89.00')
  })

  test('3: publishes a post with two presses, or schedules it', async () => {
    const page = await open('/account/school/posts?status=draft')
    await page.locator('tbody th a').first().click()
    await page.waitForURL('**/posts/pst_*')
    const draft = page.url()
    presses = 0
    await follow('Publish or schedule')
    await shows('What happens')
    await press('Publish or schedule')
    expect(presses).toBe(2)
    await shows('Published')
    await page.goto(draft)
    await follow('Hide (back to draft)')
    await press('Hide (back to draft)')
    await follow('Publish or schedule')
    const soon = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 16)
    await fill('Scheduled for', soon)
    await press('Publish or schedule')
    await press('Publish or schedule')
    await shows('Scheduled')
  })

  test('4: moves an event and cancels it, with an e-mail to its guests', async () => {
    const page = await open('/account/school/events?status=published&phase=upcoming')
    await page.locator('tbody th a').first().click()
    await follow('Dates')
    const day = new Date(Date.now() + 20 * 86_400_000).toISOString().slice(0, 10)
    await fill('Starts at', `${day}T18:00`)
    await fill('Ends at', `${day}T20:00`)
    await press('Continue')
    await press('Save')
    await follow('Cancel')
    await fill('Reason', 'The kiln is broken.')
    await press('Cancel')
    await shows('What happens')
    await press('Cancel')
    await shows('Canceled')
  })

  test('5: answers a form by e-mail', async () => {
    const page = await open('/account/school/forms')
    await page.getByRole('link', { name: 'Ask the school' }).first().click()
    await page.waitForURL('**/account/school/forms/frm_*')
    const reply = page
      .locator('main')
      .getByRole('link', { name: /^Write to/ })
      .first()
    expect(await reply.getAttribute('href')).toMatch(/^mailto:[^@]+@[^?]+\?subject=Re/)
  })

  test('6: approves a comment', async () => {
    await open('/account/school/comments')
    await press('Approve')
    await shows('The comment is published.')
  })

  test('7: helps a person: finds them, enrols them, and lets them stay longer', async () => {
    const page = await open('/account/school/students?q=learner001')
    await page.locator('tbody th a').first().click()
    await follow('Enrol a person')
    await page
      .getByLabel('Course')
      .first()
      .selectOption({ label: 'Paper Marbling' })
      .catch(() => page.getByLabel('Course').first().selectOption({ index: 1 }))
    await page.getByLabel('Override').first().selectOption('yes')
    await press('Continue')
    await press(/Enrol/)
    await follow('Dates')
    await fill('Expires at', '2040-03-01T12:00')
    await press('Continue')
    await press('Save')
    await shows(/2040/)
  })

  test('8: opens an order and the page at the checkout where it is refunded with three presses', async () => {
    await open('/account/school')
    await goTo('Orders')
    await visitor.page.goto(`${visitor.page.url()}?status=paid`)
    await visitor.page.locator('tbody th a').first().click()
    presses += 1
    const refund = visitor.page.getByRole('link', { name: 'Open the order at the checkout (refund)' })
    expect(await refund.getAttribute('href')).toMatch(/^https:\/\/shop\.example\.com\/payments\/\d{4}-\d+$/)
    presses += 1
    expect(presses).toBeLessThanOrEqual(3)
  })

  test('9: makes a coupon for a campaign', async () => {
    await open('/account/school/coupons')
    await follow('Add')
    await fill('Code', 'SLOWKILN')
    await visitor.page.getByLabel(/Discount: Type/).selectOption('percent')
    await fill(/Discount: Percent off/, '25')
    await press('Continue')
    await press('Add')
    await shows('SLOWKILN')
  })

  test('10: invites and removes a person on the staff', async () => {
    await open('/account/school/staff')
    await fill('E-mail address', 'new@example.org')
    await press('Send the invitation')
    await shows('The invitation is on its way.')
  })

  test('11: changes the announcement and the colours of the site', async () => {
    await open('/account/school/appearance/-')
    await follow('Edit everything')
    await fill(/Announcement: Text/, 'We are closed on Monday.')
    await fill(/Colors: Primary/, '#0b5394')
    await press('Continue')
    await shows('We are closed on Monday.')
    await press('Save')
    await open('/')
    await visitor.page.getByText('We are closed on Monday.').waitFor()
  })

  test('12: sees what an app did, and stops it', async () => {
    const agent = await createAgent(service.issuer, { client_name: 'Desk Helper' })
    const { body } = await agent.tokens(personCalled(owner), { scope: 'openid courses:read' }, { scopes: 'all' })
    await withToken(`${service.issuer}/api/v1/courses`, body.access_token)
    await open('/account/school/apps')
    await visitor.page.locator('tbody th a').first().click()
    await press(/Pause/)
  })
})
