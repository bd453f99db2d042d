import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { createAgent, personCalled } from '../support/agent.ts'
import { hasChromium } from '../support/chromium.ts'
import { duringTests } from '../support/duringTests.ts'
import { password, startService } from '../support/service.ts'
import { keyboardBarriers } from './keyboard.ts'
import { openVisitor } from './visitor.ts'

describe.skipIf(!hasChromium())('a person without a pointer, in Chromium', () => {
  const service = duringTests(() => startService())
  const visitor = duringTests(() => openVisitor())
  let people = 0

  beforeEach(() => visitor.startOver())

  /** Presses Tab until the control has the focus. */
  const tabTo = async (page: Page, selector: string): Promise<void> => {
    for (let step = 0; step < 200; step += 1) {
      await page.keyboard.press('Tab')
      if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return
    }
    throw new Error(`Tab does not lead to ${selector} on ${page.url()}`)
  }
  /** Signs a new person in with the keyboard alone. */
  const signedIn = async (role: 'owner' | 'learner'): Promise<{ page: Page; email: string }> => {
    people += 1
    const email = `keys${people}@example.com`
    await service.addPerson({ email, role })
    const { page } = visitor
    await page.goto(`${service.issuer}/account/sign-in`)
    await tabTo(page, '#email')
    await page.keyboard.type(email)
    await tabTo(page, '#password')
    await page.keyboard.type(password)
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/account(?:\/school)?$/)
    return { page, email }
  }

  test('changes the profile and signs out everywhere: links and forms with Enter, buttons and boxes with the space bar', async () => {
    const { page } = await signedIn('learner')
    await tabTo(page, 'a[href="/account/profile"]')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/account/profile')
    await tabTo(page, '#name')
    await page.keyboard.press('Control+A')
    await page.keyboard.type('Wren Applegarth')
    await page.keyboard.press('Enter')
    await page.getByRole('status').waitFor()
    expect(await page.locator('#name').inputValue()).toBe('Wren Applegarth')
    await tabTo(page, 'a[href="/account/sessions"]')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/account/sessions')
    await tabTo(page, '#disconnect')
    await page.keyboard.press('Space')
    expect(await page.locator('#disconnect').isChecked()).toBe(true)
    await tabTo(page, 'form[action="/account/sign-out-everywhere"] button')
    await page.keyboard.press('Space')
    await page.locator('form').first().waitFor({ state: 'detached' })
    await page.goto(`${service.issuer}/account`)
    await page.locator('#password').waitFor()
  })

  test('opens the details of an app of the school, and filters the audit trail by a typed date', async () => {
    const agent = await createAgent(service.issuer, { client_name: 'Course Companion' })
    const { page, email } = await signedIn('owner')
    await agent.tokens(personCalled(email), { scope: 'openid courses:read' }, { scopes: 'all' })
    await tabTo(page, 'a[href="/account/school/apps"]')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/account/school/apps')
    const details = page.locator('.content details').first()
    for (const [key, isOpen] of [
      ['Space', true],
      ['Enter', false],
      ['Enter', true],
    ] as const) {
      if (key === 'Space') await tabTo(page, '.content summary')
      await page.keyboard.press(key)
      expect(await details.evaluate((one: { open: boolean }) => one.open)).toBe(isOpen)
    }
    await tabTo(page, 'a[href="/account/school/audit"]')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/account/school/audit')
    await tabTo(page, '#until')
    await page.keyboard.type('01012020')
    await tabTo(page, 'form[aria-label] button')
    await page.keyboard.press('Space')
    await page.waitForURL('**until=2020-01-01*')
    expect(await page.locator('tbody tr').count()).toBe(0)
  })

  test.each([
    ['a control that Tab skips', '<a href="#" tabindex="-1">Skipped</a>', 'not reached: <a href="#" tabindex="-1"'],
    ['another order', '<a href="#" tabindex="2">First</a>', 'no native control: <a href="#" tabindex="2"'],
    ['an imitated button', '<div role="button">Press</div>', 'no native control: <div role="button"'],
    ['a hidden focus', '<a href="#" style="outline:none">Unseen</a>', 'focus not visible: <a href="#" style="outline:none"'],
    [
      'a place outside the window',
      '<a href="#" style="position:fixed;left:-900px">Away</a>',
      'focus not visible: <a href="#" style="position',
    ],
    ['a trap', '<a href="#" onkeydown="event.preventDefault()" onclick="0">Trap</a>', 'trap after <a href="#" onkeydown'],
  ])('the check of all pages finds %s', async (_what, html, finding) => {
    const { page } = visitor
    await page.setContent(`<style>:focus-visible { outline: 3px solid }</style><p><a href="#">One</a> ${html} <button>Two</button></p>`)
    expect((await keyboardBarriers(page)).some((found) => found.startsWith(finding))).toBe(true)
  })

  test('the check of all pages accepts a plain form with a date and a region that scrolls', async () => {
    const { page } = visitor
    await page.setContent(`<style>:focus-visible, input:focus-within { outline: 3px solid }</style><form><input type="date"><input type="checkbox">
      <select><option>1</option></select><pre style="overflow:auto;width:50px">a long line of text</pre><details><summary>More</summary><a href="#">In</a></details><button>Send</button></form>`)
    expect(await keyboardBarriers(page)).toEqual([])
  })
})
