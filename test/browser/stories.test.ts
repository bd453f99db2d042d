// Proves interface: Visitors, learners, members and owners finish what they come for on the pages of the school, without scripts

import type { Page } from 'playwright-core'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { makeDemoSchool } from '../../src/operate/demo/makeDemoSchool.ts'
import { refreshSchool } from '../../src/school/analytics/rollups/refreshSchool.ts'
import { lastLink } from '../pages/account/account.ts'
import { agentOf, get, postJson, withToken } from '../support/agent.ts'
import { listenForCallback } from '../support/callback.ts'
import { hasChromium } from '../support/chromium.ts'
import { duringTests } from '../support/duringTests.ts'
import { until } from '../support/poll.ts'
import { password, passwordHash, startService } from '../support/service.ts'
import { openVisitor, signIn, type Visitor } from './visitor.ts'

const learner = 'learner001@example.org'
const owner = 'owner@example.com'
const chosen = 'four lanterns over the quiet pond'

describe.skipIf(!hasChromium())('people of the demo school, in Chromium', () => {
  const plain = duringTests(() => openVisitor({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } }))
  let visitor: Visitor

  const service = duringTests(() =>
    startService({ school: { checkout_url: 'https://shop.example.com/{type}/{id}?price={price}&code={code}' } }),
  )
  beforeAll(async () => {
    const [entry] = service.app.schools.all
    if (!entry) throw new Error('the service has no school')
    await makeDemoSchool(service.database, { school: entry.school, now: new Date(), hashPassword: async () => passwordHash })
    await refreshSchool(service.database, { schoolId: service.schoolId(), now: new Date() })
    await service.database.sql.query("UPDATE school SET registration = 'open'")
  })
  beforeEach(async () => {
    visitor = plain
    await plain.startOver()
  })
  afterEach(() => {
    expect(visitor.complaints().filter((text) => !text.includes('the server responded with a status of 4'))).toEqual([])
  })

  const open = async (path: string): Promise<Page> => {
    await visitor.page.goto(service.issuer + path)
    return visitor.page
  }
  const heading = async (): Promise<string | null> => visitor.page.locator('h1').first().textContent()
  const pathname = (): string => new URL(visitor.page.url()).pathname
  const follow = (name: string | RegExp): Promise<void> => visitor.page.getByRole('link', { name }).first().click()
  const press = (name: string | RegExp): Promise<void> => visitor.page.getByRole('button', { name }).first().click()
  const signedInAt = async (path: string, email: string): Promise<Page> => {
    const page = await open(path)
    await signIn(page, email, password)
    return page
  }
  const newLearner = async (email: string): Promise<string> => {
    await service.addPerson({ email })
    return email
  }

  test('a visitor finds a free course, signs in, enrols and begins the first lesson', async () => {
    const email = await newLearner('beginner@example.org')
    const page = await open('/')
    await follow('Courses')
    await page.getByRole('textbox', { name: 'Search' }).fill('safety')
    await press('Search')
    await follow('Workshop Safety')
    expect(await heading()).toContain('Safety')
    await follow('Sign in to enrol')
    await signIn(page, email, password)
    expect(pathname()).toMatch(/^\/courses\//)
    await press('Enrol')
    expect(pathname()).toMatch(/^\/account\/courses\//)
    await follow(/^(Start|Continue)/)
    expect(pathname()).toMatch(/\/lessons\/les_/)
  })

  test('a visitor is led to the checkout with the course, and with the price of the plan that they choose', async () => {
    const page = await open('/courses/clay-from-scratch')
    const buy = page.getByRole('link', { name: 'Buy this course' })
    const { body } = await get(`${service.issuer}/api/v1/courses/clay-from-scratch`)
    expect(await buy.getAttribute('href')).toContain(`https://shop.example.com/course/${body.id}`)
    await open('/plans/workbench')
    const prices = await page.locator('a.button.main').evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''))
    expect(new Set(prices.map((href) => new URL(href).searchParams.get('price'))).size).toBe(prices.length)
    expect(prices.length).toBeGreaterThan(1)
  })

  test('a learner continues a course, marks a lesson as done, and finds certificate, order and invoice', async () => {
    const page = await signedInAt('/account/sign-in', learner)
    expect(await heading()).toBe('My learning')
    await page
      .getByRole('link', { name: /^Continue/ })
      .first()
      .click()
    expect(pathname()).toMatch(/\/lessons\/les_/)
    await press('Mark as done')
    await page.getByText('The previous lesson is marked as done.').or(page.getByText('You have completed')).first().waitFor()
    await open('/account')
    await page.getByRole('link', { name: 'Certificate' }).first().click()
    await page.getByText('This certificate is valid.').waitFor()
    await open('/account/orders')
    const document = page.getByRole('link', { name: /^(Invoice|Receipt)/ }).first()
    await document.click()
    expect(await page.locator('body').textContent()).toContain('Lanternfield')
  })

  test('a post for members leads a visitor to the sign-in and back, and then shows a member its text', async () => {
    const page = await open('/posts/how-we-price-a-bowl')
    await follow('Sign in to read')
    await signIn(page, learner, password)
    expect(pathname()).toBe('/posts/how-we-price-a-bowl')
    expect(await page.locator('.prose').textContent()).toMatch(/\w{20,}|\w+ \w+ \w+/)
    expect(await page.getByText('This post is for members').count()).toBe(0)
    expect(await page.getByRole('banner').getByRole('link', { name: 'Sign in' }).count()).toBe(0)
  })

  test('a person changes the password, and an owner helps somebody who has lost the second factor', async () => {
    const email = await newLearner('changing@example.org')
    const page = await signedInAt('/account/login', email)
    await page.getByLabel('Current password').fill(password)
    await page.getByLabel('New password').fill(chosen)
    await page.getByLabel('Repeat the password').fill(chosen)
    await page.locator('form[action$="/login/password"] button').click()
    await page.getByRole('status').waitFor()
    await page.context().clearCookies()
    await open('/account/sign-in')
    await signIn(page, email, chosen)
    expect(await heading()).toBe('My learning')
    await page.context().clearCookies()
    await signedInAt('/account/school/staff', owner)
    await page.locator('#lost').fill(email)
    await page.locator('form[action$="/second-factor"] button').click()
    await confirmed(page)
    expect(await page.locator('#lost-error').textContent()).toBe('No student or member signs in with this address and a second factor.')
  })

  /** Enters the password where a page asks who the person is, and presses the button again. */
  async function confirmed(page: Page): Promise<void> {
    if (pathname() !== '/account/confirm') return
    await page.locator('#password').fill(password)
    await page.locator('button.main').click()
  }

  test('a person lets an agent act for them, sees it among the apps, and takes the access back', async () => {
    const callback = await listenForCallback()
    try {
      const metadata = { client_name: 'Study Buddy', redirect_uris: [callback.redirectUri] }
      const { body: client } = await postJson(`${service.issuer}/api/oauth/register`, metadata)
      const agent = agentOf(service.issuer, client.client_id, undefined, callback.redirectUri)
      const { page } = visitor
      await page.goto(agent.authorizationUrl({ scope: 'openid courses:read posts:read' }).href)
      await signIn(page, learner, password)
      await page.locator('input[value="posts:read"]').uncheck()
      await press('Allow selected')
      const { body } = await agent.redeem(await callback.next())
      expect(body.scope.split(' ').toSorted()).toEqual(['courses:read', 'openid'])
      const status = async (): Promise<number> => (await withToken(`${service.issuer}/api/v1/courses`, body.access_token)).status
      expect(await status()).toBe(200)
      await open('/account/apps')
      await page.getByRole('heading', { name: 'Study Buddy' }).waitFor()
      await press('Remove this app')
      expect(await status()).toBe(401)
    } finally {
      await callback.close()
    }
  })

  test('an owner invites a lecturer, who signs in, and reads figures, people and the audit trail', async () => {
    const page = await signedInAt('/account/school/staff', owner)
    await page.locator('#email').fill('new.lecturer@example.com')
    await page.locator('form[action$="/staff/invite"] button').click()
    await confirmed(page)
    await until(async () => (await service.emails()).some(({ to }) => to === 'new.lecturer@example.com'), { what: 'the invitation' })
    for (const [path, words] of [
      ['/account/school/statistics', 'Statistics'],
      ['/account/school/people', 'People'],
      ['/account/school/audit', 'Audit'],
    ] as const) {
      await open(path)
      expect([path, (await heading())?.includes(words)]).toEqual([path, true])
    }
    await page.context().clearCookies()
    await page.goto((await lastLink(service, 'new.lecturer@example.com')).href)
    await page.locator('#email').fill('new.lecturer@example.com')
    await page.locator('#name').fill('Robin Kilnfield')
    await page.locator('button.main').click()
    await page.goto((await lastLink(service, 'new.lecturer@example.com')).href)
    await page.locator('#password').fill(chosen)
    await page.locator('#repeated').fill(chosen)
    await page.locator('button.main').click()
    await open('/account')
    expect(await heading()).toBe('My learning')
  })

  test('a person registers for an event, takes it into the calendar, and gives the seat up again', async () => {
    const email = await newLearner('guest@example.org')
    const page = await open('/events')
    await page.locator('.cards a').first().click()
    const event = pathname()
    await page.locator('a[href*="/account/events/"], a[href*="sign-in"]').first().click()
    await signIn(page, email, password)
    await press(/Reserve a seat|Join the waiting list/)
    await page.getByRole('status').waitFor()
    await open('/account/events')
    const file = await page.getByRole('link', { name: 'Add to calendar' }).first().getAttribute('href')
    expect(await (await page.request.get(service.issuer + file)).text()).toContain('BEGIN:VEVENT')
    await page.locator('a[href^="/account/events/"]').first().click()
    await press(/Give up|Leave/)
    await page.getByRole('status').waitFor()
    expect(event).toMatch(/^\/events\//)
  })

  test('a visitor finds a form, sends it, and staff read the answer', async () => {
    const page = await open('/forms/ask-the-school')
    await page.getByLabel('Your name').fill('Wren Applegarth')
    await page.getByLabel('Where we can write to you').fill('wren@example.org')
    await page.getByLabel('A visit').check()
    await page.getByLabel('Your question').fill('May I bring my own clay?')
    await page.getByLabel('You may keep this until it is answered').check()
    await page.locator('button.main').click()
    expect(pathname()).toBe('/forms/ask-the-school/sent')
    expect(await page.getByRole('link').count()).toBeGreaterThan(1)
    await signedInAt('/account/school/forms', owner)
    await follow('Ask the school')
    await page.getByText('May I bring my own clay?').waitFor()
  })

  test('a visitor signs in to comment, the comment waits, the school approves it, and everybody reads it', async () => {
    const email = await newLearner('commenting@example.org')
    const path = '/posts/how-we-price-a-bowl'
    await service.database.sql.query(`UPDATE school SET settings = settings || '{"comment_moderation": "first"}'`)
    await service.database.sql.query(`UPDATE post SET visibility = 'public' WHERE slug = 'how-we-price-a-bowl'`)
    const page = await open(path)
    await follow('Sign in to comment')
    await signIn(page, email, password)
    expect(pathname()).toBe(path)
    await page.getByLabel('Your comment').last().fill('Does the price include the glaze?')
    await press('Post comment')
    const comment = page.locator('.comments > li', { hasText: 'Does the price include the glaze?' })
    expect(await comment.textContent()).toContain('Waits for approval')
    await page.context().clearCookies()
    await open(path)
    expect(await comment.count()).toBe(0)
    await signedInAt('/account/school/comments', owner)
    const waiting = page.getByRole('row').filter({ hasText: 'Does the price include the glaze?' })
    await waiting.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('The comment is published.').waitFor()
    await open(path)
    await comment.getByText('Reply', { exact: true }).click()
    await comment.getByLabel('Your reply').fill('Yes, it does.')
    await comment.getByRole('button', { name: 'Post reply' }).click()
    await page.context().clearCookies()
    await open(path)
    expect(await comment.textContent()).toContain('Yes, it does.')
  })

  test('a developer finds the resource in the table of contents and calls it', async () => {
    const scripted = await openVisitor()
    try {
      visitor = scripted
      const page = await open('/docs')
      await page.getByRole('navigation', { name: 'Contents' }).getByRole('link', { name: 'Courses', exact: true }).click()
      expect(await page.locator('#area-courses').isVisible()).toBe(true)
      await page.locator('#area-courses a').click()
      await page.waitForURL('**/docs/courses')
      await page.locator('#listCourses .try > summary').click()
      await page.locator('#listCourses .try button[type="submit"]').click()
      await page.locator('#listCourses .result').getByText('Clay From Scratch').first().waitFor()
      await page.locator('#listCourses .result + .copy button').click()
      expect(await page.evaluate<string>('getSelection().toString()')).toContain('Clay From Scratch')
      await page.getByRole('banner').getByRole('link', { name: 'School' }).click()
      await page.waitForURL(`${service.issuer}/`)
      await open('/docs/apps')
      await press('Copy')
      await page.getByRole('button', { name: 'Copied' }).first().waitFor()
      expect(await page.evaluate<string>('getSelection().toString()')).toBe(`${service.issuer}/mcp`)
    } finally {
      await scripted.close()
    }
  })

  test('a member cancels in two steps, resumes, exports the data, and leaves with the membership', async () => {
    const page = await signedInAt('/account/membership', learner)
    await page.getByText('Cancel the membership').first().click()
    await press('Cancel now')
    await page.getByText('Your membership is cancelled.').waitFor()
    await press('Resume the membership')
    await page.getByText('Your membership continues.').waitFor()
    await open('/account/data')
    const [download] = await Promise.all([page.waitForEvent('download'), press('Download the ZIP file')])
    expect(download.suggestedFilename()).toMatch(/\.zip$/)
    await page.getByLabel('I want my account to be deleted').check()
    await press('Cancel the membership and delete my account')
    await confirmed(page)
    await page.getByText('Your account will be deleted').first().waitFor()
    await press('Keep my account')
    await page.getByText('Your account will not be deleted.').waitFor()
  })
})
