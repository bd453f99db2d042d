import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Agent, createAgent } from '../support/agent.ts'
import { hasChromium, launchChromium } from '../support/chromium.ts'
import { startService, type TestService } from '../support/service.ts'
import { tour, tourists } from './tour.ts'
import { openVisitor, type Visitor } from './visitor.ts'

/** Every text with too little contrast to its ground (WCAG 2.2, success criterion 1.4.3), with the figure. */
const faintTexts = `(() => {
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number)
  const channel = (value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4)
  const luminance = ([red, green, blue]) => 0.2126 * channel(red) + 0.7152 * channel(green) + 0.0722 * channel(blue)
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = numbers(getComputedStyle(at).backgroundColor)
      if (colour[3] !== 0) return colour
    }
    return [255, 255, 255]
  }
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const faint = []
  while (texts.nextNode()) {
    const text = texts.currentNode.data.trim()
    const element = texts.currentNode.parentElement
    if (!text || element.getClientRects().length === 0) continue
    const [one, other] = [luminance(numbers(getComputedStyle(element).color)), luminance(ground(element))]
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)
    if (ratio < 4.5) faint.push(text.slice(0, 40) + ' ' + ratio.toFixed(2))
  }
  return faint
})()`

const overflow = `[...document.querySelectorAll('body *')]
  .filter((element) => element.getBoundingClientRect().right > innerWidth + 0.5)
  .map((element) => element.outerHTML.slice(0, 120))`

const isDark = (page: Page) =>
  page.evaluate<boolean>(`getComputedStyle(document.body).backgroundColor.match(/\\d+/g).every((value) => value < 64)`)

describe.skipIf(!hasChromium())('every page, in Chromium', { timeout: 180_000 }, () => {
  let service: TestService
  let browser: Browser
  let agent: Agent

  beforeAll(async () => {
    browser = await launchChromium()
    service = await startService({
      school: { defaults: { name: 'A School With Quite A Long Name, As Schools Have', locale: 'en', time_zone: 'UTC', currency: 'EUR' } },
    })
    for (const tourist of tourists) await service.addPerson(tourist)
    // The longest name that is shown, and no place in it to break the line.
    agent = await createAgent(service.issuer, { client_name: 'Courseware'.repeat(6) })
  }, 120_000)
  afterAll(async () => {
    await browser?.close()
    await service?.stop()
  })

  describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
    test.each([360, 1280])('fits into %i pixels, can be read, asks nobody else and says nothing to the console', async (width) => {
      for (const { name, open } of tour) {
        const visitor: Visitor = await openVisitor(browser, { colorScheme, viewport: { width, height: 800 } })
        try {
          const { page } = visitor
          await open(page, agent)
          expect([name, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([name, width])
          expect([name, await page.evaluate(overflow)]).toEqual([name, []])
          expect([name, await page.evaluate(faintTexts)]).toEqual([name, []])
          expect([name, visitor.origins()]).toEqual([name, [service.issuer]])
          expect([name, visitor.complaints().filter((text) => !text.includes('status of 4'))]).toEqual([name, []])
          expect([name, await isDark(page)]).toEqual([name, colorScheme === 'dark'])
        } finally {
          await visitor.close()
        }
      }
    })
  })
})
