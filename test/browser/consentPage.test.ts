// Proves WCAG 1.4.10: The consent page with five permissions fits on the screen of a phone, and reflows at 400 % zoom

import { beforeAll, describe, expect, test } from 'vitest'
import { languages } from '../../src/base/text/languages.ts'
import { type Agent, agentOf, allScopes, postJson } from '../support/agent.ts'
import { hasChromium } from '../support/chromium.ts'
import { duringTests } from '../support/duringTests.ts'
import { password, startService } from '../support/service.ts'
import { box, openVisitor, signIn, type Visitor } from './visitor.ts'

const learner = 'learner@example.org'
const five = 'openid profile email account:read courses:read events:write'

describe.skipIf(!hasChromium())('the consent page', () => {
  const service = duringTests(() => startService({ people: [{ email: learner }] }))
  let agent: Agent
  beforeAll(async () => {
    const redirectUri = 'http://127.0.0.1:53682/callback'
    const { body } = await postJson(`${service.issuer}/api/oauth/register`, { client_name: 'Study Buddy', redirect_uris: [redirectUri] })
    agent = agentOf(service.issuer, body.client_id, undefined, redirectUri)
  })

  const at = async (
    { scope, ...parameters }: { scope: string; ui_locales?: string },
    settings: { colorScheme?: 'light' | 'dark'; width?: number; height?: number; javaScriptEnabled?: boolean } = {},
  ): Promise<Visitor> => {
    const { colorScheme = 'light', width = 360, height = 740, javaScriptEnabled = true } = settings
    const visitor = await openVisitor({ javaScriptEnabled, colorScheme, viewport: { width, height } })
    await visitor.page.goto(agent.authorizationUrl({ scope, ...parameters }).href)
    await signIn(visitor.page, learner, password)
    await visitor.page.locator('h1 bdi').waitFor()
    return visitor
  }
  const heightOf = (visitor: Visitor) =>
    visitor.page.evaluate<number>('Math.ceil(document.querySelector("main").getBoundingClientRect().bottom + scrollY)')

  test.each(languages.flatMap((language) => (['light', 'dark'] as const).map((colorScheme) => ({ language, colorScheme }))))(
    'with five permissions is not taller than the screen of a phone, in $language, $colorScheme',
    async ({ language, colorScheme }) => {
      const visitor = await at({ scope: five, ui_locales: language }, { colorScheme })
      if (process.env.SHOTS)
        await visitor.page.screenshot({ path: `${process.env.SHOTS}/five-${language}-${colorScheme}.png`, fullPage: true })
      expect(await visitor.page.locator('input[name="scope"]').count()).toBe(5)
      expect(await heightOf(visitor)).toBeLessThanOrEqual(740)
      await visitor.close()
    },
  )

  test('with every scope is at most three screens of a phone', async () => {
    const visitor = await at({ scope: allScopes })
    if (process.env.SHOTS) await visitor.page.screenshot({ path: `${process.env.SHOTS}/all.png`, fullPage: true })
    expect(await heightOf(visitor)).toBeLessThanOrEqual(3 * 740)
    expect(await visitor.page.locator('li.struck').first().isVisible()).toBe(false)
    await visitor.close()
  })

  test('reflows at 400 % zoom', async () => {
    const visitor = await at({ scope: five }, { width: 320, height: 256 })
    expect(await visitor.page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320)
    await visitor.close()
  })

  test.each([true, false])('ticks with one press, with scripts: %s', async (javaScriptEnabled) => {
    const visitor = await at({ scope: five }, { javaScriptEnabled })
    const { page } = visitor
    const ticked = async (): Promise<string[]> => {
      const boxes = await page.locator('input[name="scope"]:checked').all()
      return (await Promise.all(boxes.map((one) => one.inputValue()))).toSorted()
    }
    const reads = ['account:read', 'courses:read', 'email', 'profile']
    expect(await ticked()).toEqual(reads)
    for (const [name, names] of [
      ['Look and change', ['account:read', 'courses:read', 'email', 'events:write', 'profile']],
      ['Only look', reads],
      ['Sign in only', []],
    ] as const) {
      await page.getByRole('link', { name }).click()
      await expect.poll(ticked).toEqual(names)
    }
    await visitor.close()
  })

  test('marks what people regret most, by the declarations of the operations', async () => {
    const visitor = await at({ scope: `${five} account:write subscriptions:write` })
    const marks = async (name: string): Promise<string[]> =>
      visitor.page.locator(`label[for="${await box(visitor.page, name).getAttribute('id')}"] .mark`).allTextContents()
    expect(await marks('account:write')).toEqual(['Can take over your account', 'Can delete'])
    expect(await marks('subscriptions:write')).toEqual(['Can cost money'])
    expect(await marks('courses:read')).toEqual([])
    await visitor.close()
  })
})
