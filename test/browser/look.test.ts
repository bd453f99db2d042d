// Proves WCAG 2.2 AA: Every page in every state is valid HTML, fits phone and desktop, works in light and dark, and has no axe violation
// Proves WCAG 2.2 AA: Every state of every page is valid, fits 320 and 1280 px and is translated, in English and German; Tab reaches every control in order, with visible focus

import type { Page } from 'playwright-core'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { fromPublicId } from '../../src/base/ids.ts'
import { languages } from '../../src/base/text/languages.ts'
import { inSchool } from '../../src/database/school/inSchool.ts'
import { saveForm } from '../../src/school/forms/saveForm.ts'
import { lastLink } from '../pages/account/account.ts'
import { answer, createAgent, personCalled } from '../support/agent.ts'
import { hasChromium } from '../support/chromium.ts'
import { duringTests } from '../support/duringTests.ts'
import { englishIn, visibleText } from '../support/german.ts'
import { until } from '../support/poll.ts'
import { startService } from '../support/service.ts'
import { barriers, htmlErrors } from './findings.ts'
import { keyboardBarriers } from './keyboard.ts'
import { learn } from './learningTour.ts'
import { giveLongNames, longName, misdirected } from './longNames.ts'
import { publish } from './siteTour.ts'
import { type TourGuide, tour, tourForm, tourists } from './tour.ts'
import { openVisitor } from './visitor.ts'

const overflow = `[...document.querySelectorAll('body *')]
  .filter((element) => element.getBoundingClientRect().right > innerWidth + 0.5)
  .map((element) => element.outerHTML.slice(0, 120))`

// Contrast depends on the theme and overflow on the width: each is tested alone, because no rule depends on their combination.
// 320 px is the narrowest width of WCAG 2.2 criterion 1.4.10.
const phone = { width: 320, colorScheme: 'light', rules: 'all' } as const
const between = [360, 768]
const desk = { width: 1280, colorScheme: 'dark', rules: 'looks' } as const
const school = 'A School With Quite A Long Name, As Schools Have'

// The service does not translate the texts of the school.
const ownTexts = [school, longName, ...[...JSON.stringify(tourForm).matchAll(/"([^"\\]{4,})"/g)].map(([, text = '']) => text)].toSorted(
  (one, other) => other.length - one.length,
)

/** Returns what a person who reads the language cannot read. Names, addresses and the audit trail are as somebody wrote them. */
function untranslated(html: string, locale: string): string[] {
  if (locale !== 'de') return []
  let text = visibleText(html.replace(/<(bdi|output|pre)\b[\s\S]*?<\/\1>/g, ' '))
  for (const own of ownTexts) text = text.replaceAll(own, '')
  return englishIn(text.replace(/\S+[@/]\S+/g, ''))
}

const isDark = (page: Page) =>
  page.evaluate<boolean>(`getComputedStyle(document.body).backgroundColor.match(/\\d+/g).every((value) => value < 64)`)

describe.skipIf(!hasChromium())('every page, in Chromium', () => {
  const service = duringTests(() =>
    startService({ school: { defaults: { name: school, locale: 'en', time_zone: 'UTC', currency: 'EUR' } } }),
  )
  let guide: TourGuide

  beforeAll(async () => {
    for (const tourist of tourists) await service.addPerson(tourist)
    await service.database.transaction((writer) =>
      saveForm(inSchool(writer, service.schoolId()), { schoolId: service.schoolId(), now: new Date() }, tourForm),
    )
    await service.database.sql.query("UPDATE school SET registration = 'open'")
    // The longest name that is shown, and no place in it to break the line.
    const agent = await createAgent(service.issuer, { client_name: 'Courseware'.repeat(6) })
    guide = { agent, mailedLink: async (email) => (await lastLink(service, email)).href }
  })

  test('a long list of scopes comes before its buttons, which cover nothing of it', async () => {
    const visitor = await openVisitor({ viewport: { width: 360, height: 640 } })
    try {
      const { page } = visitor
      await tour.find(({ name }) => name === 'consent-owner')?.open(page, guide)
      const boxes = page.locator('input[name="scope"]')
      expect(await boxes.count()).toBeGreaterThan(30)
      // A ticked box is never in a collapsed area.
      expect(await page.locator('input[name="scope"]:checked:visible').count()).toBe(
        await page.locator('input[name="scope"]:checked').count(),
      )
      expect(await page.locator('.area:not([open])').count()).toBeGreaterThan(0)
      const bottom: number = await page.evaluate(`[...document.querySelectorAll('.area')].at(-1).getBoundingClientRect().bottom`)
      const answer = await page.getByRole('button', { name: 'Allow selected' }).boundingBox()
      expect(answer?.y).toBeGreaterThan(bottom)
      expect(
        await page.evaluate(
          `[...document.querySelectorAll('body *')].filter((one) => /fixed|sticky/.test(getComputedStyle(one).position)).length`,
        ),
      ).toBe(0)
    } finally {
      await visitor.close()
    }
  })

  test("the school's logo is there in either theme, moves nothing when it comes, and leaves room for the page", async () => {
    const { access_token } = (await guide.agent.tokens(personCalled('owner@example.com'), { scope: 'storage:write' }, { scopes: 'all' }))
      .body
    const draw = async (colour: string): Promise<unknown> => {
      const form = new FormData()
      const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="900" height="120"><rect width="900" height="120" fill="${colour}"/></svg>`
      for (const [name, value] of [
        ['purpose', 'image'],
        ['visibility', 'public'],
      ] as const)
        form.set(name, value)
      form.set('file', new Blob([drawing], { type: 'image/svg+xml' }), `${colour}.svg`)
      const headers = { authorization: `Bearer ${access_token}` }
      const { body } = await answer(fetch(`${service.issuer}/api/v1/storage/files`, { method: 'POST', headers, body: form }))
      return fromPublicId('fil', body.id)
    }
    const { sql } = service.database
    await sql.query('UPDATE appearance SET logo_file_id = $1, logo_dark_file_id = $2', [await draw('navy'), await draw('gold')])
    const visitor = await openVisitor({ viewport: { width: 360, height: 640 } })
    try {
      const { page } = visitor
      const top = (): Promise<number> => page.evaluate("document.querySelector('main').getBoundingClientRect().top")
      let open = (): void => {}
      const gate = new Promise<void>((resolve) => {
        open = resolve
      })
      await page.route('**/files/**', async (route) => {
        await gate
        await route.continue()
      })
      await page.goto(`${service.issuer}/account/sign-in`, { waitUntil: 'commit' })
      await page.locator('#password').waitFor()
      const before = await top()
      open()
      const shown = (): Promise<string> =>
        page.evaluate(
          "(({ complete, naturalWidth, currentSrc }) => complete && naturalWidth > 0 ? currentSrc : '')(document.querySelector('.logo'))",
        )
      for (const [colorScheme, file] of [
        ['light', 'navy.svg'],
        ['dark', 'gold.svg'],
      ] as const) {
        await page.emulateMedia({ colorScheme })
        await until(async () => (await shown()).endsWith(file), { what: `${file} to be shown` })
        expect(await top()).toBe(before)
        expect([await page.evaluate(overflow), await barriers(page)]).toEqual([[], []])
        const { width = 0, height = 0 } = (await page.locator('.logo').boundingBox()) ?? {}
        expect([width > 100 && width <= 360, height > 30 && height < 64]).toEqual([true, true])
      }
      expect(await htmlErrors(await visitor.html())).toEqual([])
      expect(visitor.complaints()).toEqual([])
    } finally {
      await visitor.close()
      await sql.query('UPDATE appearance SET logo_file_id = NULL, logo_dark_file_id = NULL')
    }
  })

  test('a page does not move when its fonts come late', async () => {
    const visitor = await openVisitor({ viewport: { width: 412, height: 823 } })
    try {
      const { page } = visitor
      const gate = Promise.withResolvers<void>()
      const fonts: Promise<void>[] = []
      await page.route('**/assets/fonts/*', (route) => void fonts.push(gate.promise.then(() => route.continue())))
      await page.goto(`${service.issuer}/account/sign-in`, { waitUntil: 'commit' })
      await page.locator('#password').waitFor()
      await until(async () => fonts.length > 0, { what: 'the fonts to be requested' })
      const widths = (): Promise<unknown> =>
        page.evaluate(`[...document.querySelectorAll('body *')].map((one) => Object.values(one.getBoundingClientRect().toJSON()))`)
      const before = await widths()
      gate.resolve()
      await page.waitForLoadState('networkidle')
      await page.evaluate('document.fonts.ready.then(() => undefined)')
      expect(await widths()).toEqual(before)
    } finally {
      await visitor.close()
    }
  })

  describe.each(languages)('in %s', (locale) => {
    const isFirst = locale === languages[0]
    const visitor = duringTests(() => openVisitor({ locale }))
    beforeAll(async () => {
      if (isFirst) return
      // The pages of the other language have names that are hard to fit.
      await publish(guide)
      await learn(guide)
      await giveLongNames(service.database)
    })
    beforeEach(async () => {
      await visitor.startOver()
      await visitor.page.setViewportSize({ width: 360, height: 800 })
      await visitor.page.emulateMedia({ colorScheme: null })
    })
    // Another language changes words and their length: the rules of accessibility and the keyboard are checked in one language.
    test.each(tour)(
      isFirst
        ? '$name is valid, fits, is accessible, works with the keyboard, contacts no other host and logs nothing to the console'
        : '$name is valid, fits with long names, writes Arabic from the right, is translated, contacts no other host and logs nothing to the console',
      async ({ open }) => {
        const { page } = visitor
        await open(page, guide)
        expect(await page.evaluate('document.documentElement.lang')).toBe(locale)
        const html = await visitor.html()
        expect([await htmlErrors(html), untranslated(html, locale)]).toEqual([[], []])
        for (const { width, colorScheme, rules } of [phone, desk]) {
          await page.setViewportSize({ width, height: 800 })
          await page.emulateMedia({ colorScheme })
          const findings = {
            width: await page.evaluate('document.documentElement.scrollWidth'),
            overflow: await page.evaluate(overflow),
            barriers: isFirst ? await barriers(page, rules) : [],
            isDark: await isDark(page),
          }
          expect(findings).toEqual({ width, overflow: [], barriers: [], isDark: colorScheme === 'dark' })
        }
        for (const width of between) {
          await page.setViewportSize({ width, height: 800 })
          expect([width, await page.evaluate(overflow)]).toEqual([width, []])
        }
        expect(await misdirected(page)).toEqual([])
        if (isFirst) expect(await keyboardBarriers(page)).toEqual([])
        expect(visitor.origins().filter((origin) => origin !== new URL(guide.agent.redirectUri).origin)).toEqual([service.issuer])
        expect(visitor.complaints().filter((text) => !text.includes('the server responded with a status of 4'))).toEqual([])
      },
    )
  })
})
