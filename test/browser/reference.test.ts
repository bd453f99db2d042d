// Proves WCAG 2.2 AA: The reference in Chromium: axe, 320 and 1280 px, both themes, search, requests with PKCE, token in memory and revoked with the page

import type { Page } from 'playwright-core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hasChromium } from '../support/chromium.ts'
import { duringTests } from '../support/duringTests.ts'
import { password, startService } from '../support/service.ts'
import { barriers, htmlErrors } from './findings.ts'
import { openVisitor, signIn, type Visitor } from './visitor.ts'

const email = 'ada@example.com'
const pages = ['/docs', '/docs/changes', '/docs/uploads', '/docs/errors', '/docs/search?q=refund', '/docs/callback']

describe.skipIf(!hasChromium())('the API reference in Chromium', () => {
  const service = duringTests(() => startService({ people: [{ email, role: 'admin' }] }))
  let visitor: Visitor
  beforeEach(async () => {
    visitor = await openVisitor()
  })
  afterEach(async () => {
    const [complaints, origins] = [visitor.complaints(), visitor.origins()]
    await visitor.close()
    const expected = /status of 4|Scripts may close only the windows/
    expect(complaints.filter((text) => !expected.test(text))).toEqual([])
    expect(origins.filter((origin) => origin !== service.issuer)).toEqual([])
  })

  const part = (page: Page, id: string) => page.locator(`#${id}`)
  const openForm = async (page: Page, area: string, id: string): Promise<void> => {
    await page.goto(`${service.issuer}/docs/${area}`)
    await part(page, id).locator('.try > summary').click()
  }

  test.each([
    { colorScheme: 'light', width: 320, rules: 'all' },
    { colorScheme: 'dark', width: 1280, rules: 'looks' },
  ] as const)('has no barrier and no sideways scrolling at $width px, in the $colorScheme theme', async ({ colorScheme, width, rules }) => {
    const { page } = visitor
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 900 })
    for (const path of pages) {
      await page.goto(`${service.issuer}${path}`)
      for (const part of await page.locator('#confirmUpload details > summary, #createUpload details > summary').all()) await part.click()
      expect([path, await barriers(page, rules)]).toEqual([path, []])
      expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false)
      if (colorScheme === 'light') expect([path, await htmlErrors(await visitor.html())]).toEqual([path, []])
    }
  })

  test('filters the list while a person types, and keeps the focus in reading order when the area changes', async () => {
    const { page } = visitor
    await page.goto(`${service.issuer}/docs`)
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content')
    await page.getByLabel('Search operations').fill('refunds ORDER')
    expect(await page.locator('.operations li:visible').count()).toBe(1)
    expect(await page.locator('#found').textContent()).toBe('1 operation found')
    await page.locator('.operations li:visible a').press('Enter')
    await page.waitForURL('**/docs/orders#listOrderRefunds')
    // The focus moves after the address has changed.
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('listOrderRefunds')
    await page.goBack()
    await page.locator('#area-orders').waitFor()
  })

  test('sends a request of a visitor as it is, and shows the response as text', async () => {
    const { page } = visitor
    await openForm(page, 'courses', 'listCourses')
    await part(page, 'listCourses').locator('.try button[type="submit"]').click()
    await part(page, 'listCourses').locator('.result').waitFor()
    expect(await part(page, 'listCourses').locator('.state').textContent()).toBe('200 OK')
    expect(await part(page, 'listCourses').locator('.result').textContent()).toContain('"data": [')
  })

  test('signs the person in with the permission of the operation alone, keeps the token in memory, and revokes it with the page', async () => {
    const { page } = visitor
    await openForm(page, 'orders', 'listOrders')
    const form = part(page, 'listOrders')
    const [popup] = await Promise.all([page.waitForEvent('popup'), form.locator('.try button[type="submit"]').click()])
    await signIn(popup, email, password)
    // It shows data of other people to staff, so it starts unticked.
    await popup.locator('input[value="orders:read"]').check()
    expect(await popup.locator('input[name="scope"]').count()).toBe(1)
    const query = new Promise<URLSearchParams>((resolve) =>
      page.context().on('request', (request) => {
        if (request.url().endsWith('/api/oauth/token')) resolve(new URLSearchParams(request.postData() ?? ''))
      }),
    )
    await Promise.all([popup.waitForEvent('close'), popup.locator('button.main').click()])
    expect(Object.fromEntries(await query)).toMatchObject({
      client_id: 'api-reference',
      resource: service.issuer,
      grant_type: 'authorization_code',
    })
    await expect.poll(() => form.locator('.state').textContent()).toBe('You are signed in. Send the request now.')
    expect(await page.locator('#session').textContent()).toContain('orders:read')
    const sent = page.waitForRequest((request) => request.url().endsWith('/api/v1/orders'))
    await form.locator('.try button[type="submit"]').click()
    const token = (await (await sent).allHeaders()).authorization ?? ''
    await expect.poll(() => form.locator('.state').textContent()).toBe('200 OK')
    expect(await page.evaluate('localStorage.length + sessionStorage.length')).toBe(0)
    expect((await page.context().cookies()).map(({ value }) => value)).not.toContain(token.slice('Bearer '.length))

    // The next area keeps the sign-in.
    await page.getByRole('link', { name: 'Operations', exact: true }).click()
    await page.locator('#area-courses a').click()
    await page.locator('#listCourses').waitFor()
    expect(await page.locator('#session').textContent()).toContain('orders:read')
    const asPerson = () => fetch(`${service.issuer}/api/v1/orders`, { headers: { authorization: token } })
    expect((await asPerson()).status).toBe(200)
    await page.goto('about:blank')
    await expect.poll(async () => (await asPerson()).status).toBe(401)
  })

  test('says what happened when the person allows nothing, and ignores answers of other requests', async () => {
    const { page } = visitor
    await openForm(page, 'orders', 'listOrders')
    const form = part(page, 'listOrders')
    const [popup] = await Promise.all([page.waitForEvent('popup'), form.locator('.try button[type="submit"]').click()])
    await popup.locator('#email').waitFor()
    const forger = await page.context().newPage()
    await forger.goto(`${service.issuer}/docs/callback?code=forged&state=forged&iss=${encodeURIComponent(service.issuer)}`)
    expect(await forger.evaluate('location.search')).toBe('')
    expect(await form.locator('.state').textContent()).toContain('Sign in, and allow orders:read')
    await signIn(popup, email, password)
    await Promise.all([popup.waitForEvent('close'), popup.getByRole('button', { name: 'Don’t allow' }).click()])
    await expect.poll(() => form.locator('.state').textContent()).toBe('You allowed nothing, so nothing was sent.')
  })

  test('is complete without scripts, without forms that would do nothing', async () => {
    await visitor.close()
    visitor = await openVisitor({ javaScriptEnabled: false })
    const { page } = visitor
    await page.goto(`${service.issuer}/docs`)
    await page.getByLabel('Search operations').fill('orders refunds')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.locator('.operations a').first().click()
    await page.locator('#listOrderRefunds').waitFor()
    expect(await page.locator('.try:visible').count()).toBe(0)
    await page.locator('#listOrderRefunds summary').first().click()
    expect(await page.locator('#listOrderRefunds dt').first().isVisible()).toBe(true)
  })
})
